// A forge at which Sett makes pull requests: everything in which one differs from another.
import type { Check, Listed, MergeOrder, Opinion, PullDraft } from "./port.ts";
import type { Rest } from "./rest.ts";

/** `repository`: the path of the repository in the API, such as `/repos/acme/door`. */
export type At = { rest: Rest; repository: string };

export type ForgeKind = {
  /** The root of the API of a forge at this address. */
  api(url: string): string;
  /** The user to whose name git gives the token. */
  gitUser: string;
  /** The words of reviews. */
  says: Readonly<Record<string, Opinion["says"]>>;
  /** Narrows the list of pull requests to those of a branch, as far as the forge can. */
  pullsQuery(owner: string, branch: string): string;
  openBody(draft: PullDraft): object;
  /** The request by which a pull request is merged, if its head is still that commit. */
  merging(order: MergeOrder): { method: "POST" | "PUT"; body: object };
  /** The branch of a pull request, also when it is not there any more. */
  branchOf(head: { ref: string; label?: string | null | undefined }): string;
  /** The title of a pull request that has `before` now, and stays a draft if it is one. */
  titleOf(title: string, before: string): string;
  required(at: At, base: string): Promise<string[]>;
  isMeant(required: string, name: string): boolean;
  /** The checks beside statuses. */
  runs(at: At, commit: string): Promise<Listed<Check>>;
};
