// Whether an event of a forge states the goal of a trigger, and why not.
import { matchesPattern } from "../core/match-pattern.ts";
import type { WebhookTrigger } from "../model/trigger.ts";
import type { ForgeEvent } from "./forge-event.ts";

/**
 * `other`: sett.yml does not name the event, which is not put on record. `skip`: it names it, and
 * one of its conditions does not hold.
 */
export type EventMatch = { kind: "fires" } | { kind: "other" | "skip"; reason: string };

type Conditions = Pick<
  WebhookTrigger,
  "events" | "branches" | "people" | "comment" | "guards_secrets"
>;

export function matchEvent(
  { events, branches, people, comment, guards_secrets }: Conditions,
  event: ForgeEvent,
): EventMatch {
  const [kind = ""] = event.name.split(".");
  if (!events.some((name) => [event.name, event.alias, kind].includes(name)))
    return { kind: "other", reason: `The trigger does not name the event \`${event.name}\`.` };
  const skip = (reason: string): EventMatch => ({ kind: "skip", reason });
  if (event.nothing !== undefined) return skip(event.nothing);
  const { branch } = event;
  if (
    branch !== undefined &&
    branches.length > 0 &&
    !branches.some((pattern) => matchesPattern(pattern, branch))
  )
    return skip(`The branch ${branch} is none of \`branches\`.`);
  if (
    people.length > 0 &&
    !people.some((name) => name.toLowerCase() === event.author.toLowerCase())
  )
    return skip(`The account ${event.author} is none of \`people\`.`);
  if (guards_secrets && event.fork !== undefined && people.length === 0)
    return skip(ofFork(event.fork));
  if (comment !== undefined && event.comment !== undefined && !beginsWith(event.comment, comment))
    return skip(`The comment does not begin with \`${comment}\`.`);
  return { kind: "fires" };
}

/**
 * Whose event it is must be one of `people`, where there are any: the word of one of them lets the
 * code of a fork run.
 */
function ofFork(fork: string): string {
  return `It is about code of the fork ${fork}, and agents have secrets: only an account of \`people\` may let it run.`;
}

/** `/sett` begins `/sett please`, and not `/settle`. */
function beginsWith(text: string, word: string): boolean {
  const trimmed = text.trimStart();
  return trimmed.startsWith(word) && !/^[\p{L}\p{N}_-]/u.test(trimmed.slice(word.length));
}
