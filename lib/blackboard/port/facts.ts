// The facts that decisions are based on beside the log. A part of the port.
import type { Fact, FactDigest } from "../../model/fact.ts";

export interface FactBoard {
  /** A fact never changes: a second note of it changes nothing. */
  noteFact(fact: Fact, epoch: number): Promise<{ outcome: "noted" | "fenced" }>;
  /** Digest → text, of those that are on record. */
  readFacts(digests: Iterable<FactDigest>): Promise<Map<FactDigest, string>>;
}
