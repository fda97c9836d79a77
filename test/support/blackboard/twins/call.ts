// One call of a sequence: plain data, so that it can be printed, and be played again without the
// others.
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../bench.ts";

/** Says which of the two handles on the blackboard makes the call. */
export type Handle = 0 | 1;

type Methods = {
  [Name in keyof Blackboard as Blackboard[Name] extends (...args: never[]) => unknown
    ? Name
    : never]: Blackboard[Name];
};

/** Methods whose arguments or results are no plain data. */
type Special = {
  /** What is not readable is part of the result. */
  readClaims: [ids: readonly ClaimId[]];
  /** After which of the logs that are kept: Redis and the twin give them other ids. */
  readWorkerLogs: [agent: AgentName, afterPlace: number | undefined];
  /** Up to what is in the log now. */
  followEvents: [from: string];
  /** Says from which of the announcements up to the last one. */
  followAnnouncements: [fromPlace: number];
  /** As many batches as there must be. */
  followGrants: [agent: AgentName];
  /** Lists what is unanswered. */
  followMail: [];
  /** Says which of the agent's messages that are unanswered; undefined: one that is not there. */
  answerMail: [agent: AgentName, place: number | undefined, text: string | undefined];
  /** The answers that come while the agent follows. */
  followMailAnswers: [agent: AgentName, texts: readonly string[]];
  /** Says what is published, and ends with the artefact. */
  artefactHints: [ids: readonly ArtefactId[]];
};

export type MethodName = Exclude<keyof Methods, typeof Symbol.asyncDispose>;
type ArgsOf<Name extends MethodName> = Name extends keyof Special
  ? Special[Name]
  : Parameters<Methods[Name]>;

/**
 * Says what a person does with plain Redis commands; `setBack` is not needed where the clock can be
 * set.
 */
export type Hand = Omit<Bench["hand"], "setBack">;

export type Call =
  | { clock: number }
  | { hand: keyof Hand; args: readonly unknown[] }
  | { by: Handle; method: MethodName; args: readonly unknown[] };

export function call<Name extends MethodName>(
  by: Handle,
  method: Name,
  ...args: ArgsOf<Name>
): Call {
  return { by, method, args };
}

export function byHand<Name extends keyof Hand>(hand: Name, ...args: Parameters<Hand[Name]>): Call {
  return { hand, args };
}

/** As it is printed: a line of JSON. */
export function lineOf(one: Call): string {
  return JSON.stringify(one);
}
