// Says what the blackboard's suite needs of an implementation: a fresh blackboard, further handles
// on it, and a person's hand in it.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ArtefactFields } from "../../../lib/blackboard/records/artefact-field-names.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";

/** A hand in another process takes its time. */
type Awaitable<Value> = Value | Promise<Value>;

export type Bench = AsyncDisposable & {
  board: Blackboard;
  /** Another process' handle on the same blackboard. */
  another(): Promise<Blackboard>;
  /** Every handle's connection is lost and made anew. */
  reconnect(): Promise<unknown>;
  hand: {
    writeArtefact(id: ArtefactId, fields: Partial<ArtefactFields>): unknown;
    readArtefact(id: ArtefactId): Awaitable<Partial<Record<string, string>>>;
    removeArtefact(id: ArtefactId): unknown;
    publish(text: string): unknown;
    readBids(claim: ClaimId): Awaitable<Record<string, string>>;
    /** So that it cannot be read. */
    breakClaim(claim: ClaimId): unknown;
    /** As it was before. */
    mendClaim(claim: ClaimId): unknown;
    writeRegistration(agent: AgentName, text: string): unknown;
    writeEvent(entry: Record<string, string>): unknown;
    removeEvent(id: string): unknown;
    writeAnnouncement(entry: Record<string, string>): unknown;
    writeDue(member: string, at: number): unknown;
    /** The clock of the blackboard is set back by so much; ahead, where it is negative. */
    setBack(ms: number): unknown;
  };
};
