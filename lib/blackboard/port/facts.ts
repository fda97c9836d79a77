// The facts that decisions are based on beside the log. A part of the port.
import type { Fact, FactDigest } from "../../model/fact.ts";
import type { GoalId } from "../../model/ids.ts";

export interface FactBoard {
  /**
   * A fact never changes: a second note of it changes nothing. `goal`: of a fact about its work
   * alone, which goes with it.
   */
  noteFact(fact: Fact, epoch: number, goal?: GoalId): Promise<{ outcome: "noted" | "fenced" }>;
  /** Digest → text, of those that are on record for all goals, or for this one. */
  readFacts(digests: Iterable<FactDigest>, goal?: GoalId): Promise<Map<FactDigest, string>>;
}
