// A forge by its REST API: what GitHub and Gitea have in common, in Sett's words.
import { z } from "zod";
import type { ForgeFile } from "../model/config-forges.ts";
import { forges } from "../triggers/forges.ts";
import { issueComments } from "./issue-comments.ts";
import type { ForgeKind } from "./kind.ts";
import { forgeKinds } from "./kinds.ts";
import {
  type Branch,
  type Check,
  type Closing,
  type Forge,
  ForgeError,
  type Listed,
  type Opinion,
  ownCheck,
  type Pull,
  type Remark,
  type Status,
} from "./port.ts";
import { Rest } from "./rest.ts";

const Account = z.object({ login: z.string() }).nullish();

/** GitHub names the commit `sha`, and Gitea `id`. */
const BranchAnswer = z.object({
  commit: z.union([
    z.object({ sha: z.string() }).transform(({ sha }) => sha),
    z.object({ id: z.string() }).transform(({ id }) => id),
  ]),
  protected: z.boolean(),
});

const PullAnswer = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  head: z.object({
    ref: z.string(),
    label: z.string().nullish(),
    sha: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string() }),
  title: z.string(),
  body: z.string().nullish(),
});

/** Gitea answers `status`, where GitHub answers `state`. */
const StatusAnswer = z.object({
  context: z.string(),
  state: z.string().optional(),
  status: z.string().optional(),
  description: z.string().nullish(),
});
const Statuses = z.object({ statuses: z.array(StatusAnswer).nullish() });

const Review = z.object({
  id: z.int(),
  user: Account,
  state: z.string(),
  commit_id: z.string().nullish(),
  body: z.string().nullish(),
  dismissed: z.boolean().optional(),
});

const Line = z.int().nullish();
const Comment = z.object({
  path: z.string(),
  ...{ line: Line, original_line: Line, position: Line, original_position: Line },
  body: z.string(),
});

/** One moment of a pull request: GitHub names it `event`, and Gitea `type`. */
const Moment = z.object({
  id: z.union([z.int(), z.string()]).nullish(),
  event: z.string().optional(),
  type: z.string().optional(),
  actor: Account,
  user: Account,
  body: z.string().nullish(),
});

const items = (page: unknown) => z.array(z.unknown()).parse(page);

type Options = { file: ForgeFile; token: string; fetch: typeof fetch; now: () => number };

/** The address of a forge for people, without a slash at its end. */
export function addressOf({ kind, url }: Pick<ForgeFile, "kind" | "url">): string {
  return (url ?? forges[kind].publicUrl ?? "").replace(/\/+$/, "");
}

/** Undefined for what is no issue of this very repository at this very forge. */
function issueNumber(address: string, file: ForgeFile): number | undefined {
  const before = `${addressOf(file)}/${file.repository}/issues/`.toLowerCase();
  if (!address.toLowerCase().startsWith(before)) return undefined;
  const [digits] = /^[1-9]\d{0,9}$/.exec(address.slice(before.length)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export function restForge({ file, token, ...options }: Options): Forge {
  const kind = forgeKinds[file.kind];
  const rest = new Rest({ ...options, token, root: kind.api(addressOf(file)) });
  const repository = `/repos/${file.repository}`;
  const [owner = ""] = file.repository.split("/");
  const pullOf = (answer: unknown) => pullFrom(PullAnswer.parse(answer), file.repository, kind);
  const statusesOf = (commit: string) =>
    readStatuses(rest, `${repository}/commits/${commit}/status`);
  return {
    async branch(name): Promise<Branch | undefined> {
      const found = await rest.find(`${repository}/branches/${encodeURIComponent(name)}`);
      if (found === undefined) return undefined;
      const { commit, protected: isProtected } = BranchAnswer.parse(found);
      return { head: commit, isProtected };
    },
    issueAt: (address) => issueNumber(address, file),
    comments: issueComments(rest, repository),
    required: (base) => kind.required({ rest, repository }, base),
    isMeant: kind.isMeant,
    async pulls(branch) {
      const path = `${repository}/pulls?${kind.pullsQuery(owner, branch)}`;
      const of = (page: readonly unknown[]) =>
        page.map(pullOf).filter((one) => one.branch === branch);
      // A branch has no second one that is open.
      const { list, isWhole } = await rest.list(path, items, (page) =>
        of(page).some(({ isOwn, state }) => isOwn && state === "open"),
      );
      return { list: of(list), isWhole };
    },
    pull: async (number) => pullOf(await rest.get(`${repository}/pulls/${number}`)),
    open: async (draft) =>
      pullOf(await rest.write("POST", `${repository}/pulls`, kind.openBody(draft))),
    async reopen({ number }) {
      await rest.write("PATCH", `${repository}/pulls/${number}`, { state: "open" });
    },
    async merge(number, order) {
      const { method, body } = kind.merging(order);
      await rest.write(method, `${repository}/pulls/${number}/merge`, body);
    },
    async closing(number) {
      const { list, isWhole } = await rest.list(`${repository}/issues/${number}/timeline`, items);
      // The last closing may be among what was not read.
      return isWhole ? closingFrom(z.array(Moment).parse(list)) : undefined;
    },
    async describe({ number, title: before }, { title, body }) {
      const change = { title: kind.titleOf(title, before), body };
      await rest.write("PATCH", `${repository}/pulls/${number}`, change);
    },
    async checks(commit): Promise<Listed<Check>> {
      const statuses = await statusesOf(commit);
      const others = statuses.list.filter(({ context }) => context !== ownCheck);
      const runs = await kind.runs({ rest, repository }, commit);
      return {
        list: [...others.map(checkFrom), ...runs.list],
        isWhole: statuses.isWhole && runs.isWhole,
      };
    },
    async opinions(number) {
      const { list, isWhole } = await rest.list(`${repository}/pulls/${number}/reviews`, items);
      const all = z.array(Review).parse(list);
      return { list: all.flatMap((one) => opinionFrom(one, kind.says)), isWhole };
    },
    async remarks(number, { id }) {
      const path = `${repository}/pulls/${number}/reviews/${id}/comments`;
      const { list, isWhole } = await rest.list(path, items);
      return { list: z.array(Comment).parse(list).map(remarkFrom), isWhole };
    },
    async status(commit) {
      const { list } = await statusesOf(commit);
      const own = list.find(({ context }) => context === ownCheck);
      if (own === undefined) return undefined;
      const { state, description } = own;
      return { state: stateFrom(own), text: description ?? state ?? "" };
    },
    async setStatus(commit, { state, text }: Status) {
      const body = { state, context: ownCheck, description: text };
      await rest.write("POST", `${repository}/statuses/${commit}`, body);
    },
  };
}

async function readStatuses(
  rest: Rest,
  path: string,
): Promise<Listed<z.infer<typeof StatusAnswer>>> {
  const { list, isWhole } = await rest.list(path, (page) => Statuses.parse(page).statuses ?? []);
  // While it is read, one more may push others onto the next page.
  const all = new Map(
    z
      .array(StatusAnswer)
      .parse(list)
      .map((one) => [one.context, one]),
  );
  return { list: [...all.values()], isWhole };
}

function pullFrom(
  answer: z.infer<typeof PullAnswer>,
  repository: string,
  kind: Pick<ForgeKind, "branchOf">,
): Pull {
  const { number, html_url: url, state, merged_at, head, base, title, body } = answer;
  const isMerged = typeof merged_at === "string";
  return {
    // An open one has that of a trial.
    mergedAs: isMerged ? (answer.merge_commit_sha ?? undefined) : undefined,
    ...{ number, url, title, body: body ?? "", head: head.sha, base: base.ref },
    branch: kind.branchOf(head),
    state: isMerged ? "merged" : state === "open" ? "open" : "closed",
    isOwn: head.repo?.full_name.toLowerCase() === repository.toLowerCase(),
  };
}

function closingFrom(moments: readonly z.infer<typeof Moment>[]): Closing | undefined {
  const kindOf = ({ event, type }: z.infer<typeof Moment>) => event ?? type ?? "";
  const accountOf = ({ actor, user }: z.infer<typeof Moment>) => (actor ?? user)?.login ?? "";
  const at = moments.findLastIndex((one) => ["closed", "close"].includes(kindOf(one)));
  const closing = moments[at];
  if (closing === undefined) return undefined;
  const account = accountOf(closing);
  // Some forges write the comment of a closing before it, and some after it.
  const words = [moments[at + 1], moments[at - 1]].find(
    (one) =>
      one !== undefined &&
      ["commented", "comment"].includes(kindOf(one)) &&
      accountOf(one) === account,
  );
  return { id: String(closing.id ?? at), account, words: words?.body ?? "" };
}

function stateFrom({ state, status }: z.infer<typeof StatusAnswer>): Check["state"] {
  switch (state ?? status) {
    case "success":
    case "skipped":
      return "success";
    case "failure":
    case "error":
    case "warning":
      return "failure";
    default:
      return "pending";
  }
}

function checkFrom(status: z.infer<typeof StatusAnswer>): Check {
  const { context: name, description } = status;
  return { name, state: stateFrom(status), text: description ?? "" };
}

function remarkFrom(one: z.infer<typeof Comment>): Remark {
  // Gitea says 0 where there is none.
  const line = one.line || one.original_line || one.position || one.original_position || undefined;
  return { path: one.path, line, text: one.body };
}

function opinionFrom(
  { id, user, state, commit_id, body, dismissed }: z.infer<typeof Review>,
  says: Readonly<Record<string, Opinion["says"]>>,
): Opinion[] {
  if (user === undefined || user === null || typeof commit_id !== "string") return [];
  const word = dismissed === true ? "nothing" : (says[state] ?? "nothing");
  return [{ id, account: user.login, says: word, commit: commit_id, text: body ?? "" }];
}

/** Whether nothing can come of the same again. */
export function isRefused(error: unknown): error is ForgeError {
  return error instanceof ForgeError && error.kind === "refused";
}
