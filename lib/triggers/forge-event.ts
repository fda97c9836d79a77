// An event as the webhook of a forge reports it, in one form for all forges.
import type { z } from "zod";
import { CommitHash } from "../model/ids.ts";
import type { FieldValues } from "./fields.ts";

export type ForgeEvent = {
  /** As the forge calls it, with the action behind a dot: `push`, `pull_request.opened`. */
  name: string;
  /** Another forge's word for it, where one has the same event. */
  alias?: string | undefined;
  /**
   * The event in the forge's words, with the time that the forge gives it: a later event may say
   * the same where it has none.
   */
  happened: string[];
  /** What it has changed, in words that no other thing of the forge has: a ref, an issue. */
  subject: string;
  turn?: Turn | undefined;
  /** The forge's own time of the event, which `happened` has as well; undefined where none is. */
  time: string | undefined;
  /** One line for the record: `pull_request.opened #12`. */
  about: string;
  /** Whose doing it is: an account of the forge. */
  author: string;
  /** The branch that was pushed, or that is to be merged into. */
  branch?: string | undefined;
  comment?: string | undefined;
  /**
   * The repository of the pull or merge request that it is about, where that is another one than
   * the project's own.
   */
  fork?: string | undefined;
  /** The commit that it is about. */
  commit?: CommitHash | undefined;
  /** The address of the issue that it is about. */
  issue?: string | undefined;
  /** Why there is nothing to work on, as a sentence. */
  nothing?: string | undefined;
  fields: FieldValues;
};

/**
 * From which state to which the event brings its subject: commits of a ref, open and closed. `from`
 * is undefined where any may come before.
 */
export type Turn = { from: string | undefined; to: string };

const turns: Readonly<Record<string, Turn>> = {
  ...{ opened: { from: "nothing", to: "open" }, open: { from: "nothing", to: "open" } },
  ...{ closed: { from: "open", to: "closed" }, close: { from: "open", to: "closed" } },
  ...{ reopened: { from: "closed", to: "open" }, reopen: { from: "closed", to: "open" } },
  ...{ created: { from: "nothing", to: "there" }, create: { from: "nothing", to: "there" } },
};

/** Undefined for an action that leaves the state as it is, or that may come in any. */
export function turnOf(action: string | undefined): Turn | undefined {
  return action !== undefined && Object.hasOwn(turns, action) ? turns[action] : undefined;
}

/** `ping`: the forge tries the address. `unknown`: a sentence for who has set up the webhook. */
export type ForgeReading =
  | { kind: "event"; event: ForgeEvent }
  | { kind: "ping" }
  | { kind: "unknown"; reason: string };

/** Reads the parts that are needed; a forge adds others as it likes. */
export function readParts<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  name: string,
  make: (parts: z.output<Schema>) => ForgeEvent,
): ForgeReading {
  const parsed = schema.safeParse(data);
  if (parsed.success) return { kind: "event", event: make(parsed.data) };
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  const where = place === "" ? "it is no JSON object" : `at \`${place}\``;
  return {
    kind: "unknown",
    reason: `The event \`${name}\` has another form than its forge documents: ${where}.`,
  };
}

/** Undefined where there is no commit, as for a branch that was deleted. */
export function commitOf(text: string | null | undefined): CommitHash | undefined {
  return text == null || /^0+$/.test(text) ? undefined : CommitHash.safeParse(text).data;
}

/**
 * `from`: the repository whose branch is to be merged; none is left where it was removed, which
 * only a fork can be.
 */
export function forkOf(from: string | null | undefined, own: string): string | undefined {
  if (from == null) return "that is gone";
  return from.toLowerCase() === own.toLowerCase() ? undefined : from;
}

const branchRef = "refs/heads/";
const tagRef = "refs/tags/";

/** The branch or the tag of a ref's full name. */
export function nameOfRef(ref: string): { branch?: string; tag?: string } {
  if (ref.startsWith(branchRef)) return { branch: ref.slice(branchRef.length) };
  return ref.startsWith(tagRef) ? { tag: ref.slice(tagRef.length) } : {};
}

/** Why a push is nothing to work on; undefined where it is. */
export function nothingIn(ref: string, commit: CommitHash | undefined): string | undefined {
  if (commit === undefined) return `The push deletes ${ref}.`;
  return ref.startsWith(branchRef) || ref.startsWith(tagRef)
    ? undefined
    : `${ref} is neither a branch nor a tag.`;
}
