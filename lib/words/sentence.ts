// What writes the sentence of an event knows, and what it writes.
import type { SettEvent } from "../model/event.ts";
import type { Segment, Tone } from "./segment.ts";

/** A minor event is one of many, and matters to few. */
export type Weight = "major" | "minor";

export type SentenceTone = Exclude<Tone, "strong"> | "plain";

/**
 * `tone`: of the whole. `reason`: what may be an agent's words, to be shown behind it; empty where
 * there is none.
 */
export type Sentence = {
  segments: readonly Segment[];
  tone: SentenceTone;
  weight: Weight;
  reason: string;
};

/**
 * Facts that the event itself does not contain. `ignoredBy`: the agents whose bids have no
 * line of their own. `reason`: replaces the event's reason, where a line above has shown a part.
 */
export type EventContext = {
  ignoredBy?: readonly string[];
  /** The line leaves out bids of `ignore`: that of the closing names their agents. */
  isFolded?: boolean;
  /** All bids were `ignore`. */
  isUnwanted?: boolean;
  reason?: string;
};

/** A member of the event's data as text; empty where it is missing. */
export type Field = (name: string) => string;

export type Facts = {
  event: SettEvent;
  context: EventContext;
  field: Field;
  /** `claim 5c9bbb09`. */
  claim: string;
  /** The short id of its artefact. */
  about: string;
  agent: string;
  reason: string;
  /** `: ` and the reason, where there is one. */
  because: readonly Segment[];
  isByHand: boolean;
  /** An agent itself acts. */
  isByAgent: boolean;
  attempt: readonly Segment[];
  /** `, as Ada asked`: only the orchestrator acts, on a person's request. */
  onRequest: readonly Segment[];
};
