// Says what the blackboard's suite needs of an implementation: a fresh blackboard, further handles
// on it, and a person's hand in it.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ArtefactFields } from "../../../lib/blackboard/records/artefact-fields.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";

export type Bench = AsyncDisposable & {
  board: Blackboard;
  /** Another process' handle on the same blackboard. */
  another(): Promise<Blackboard>;
  /** Every handle's connection is lost and made anew. */
  reconnect(): Promise<unknown>;
  hand: {
    writeArtefact(id: ArtefactId, fields: Partial<ArtefactFields>): Promise<unknown>;
    readArtefact(id: ArtefactId): Promise<Partial<Record<string, string>>>;
    removeArtefact(id: ArtefactId): Promise<unknown>;
    publish(text: string): Promise<unknown>;
    readBids(claim: ClaimId): Promise<Record<string, string>>;
    /** So that it cannot be read. */
    breakClaim(claim: ClaimId): Promise<unknown>;
    /** As it was before. */
    mendClaim(claim: ClaimId): Promise<unknown>;
    writeRegistration(agent: AgentName, text: string): Promise<unknown>;
    writeEvent(entry: Record<string, string>): Promise<unknown>;
    removeEvent(id: string): Promise<unknown>;
    writeAnnouncement(entry: Record<string, string>): Promise<unknown>;
    writeDue(member: string, at: number): Promise<unknown>;
    /** The clock of the blackboard is set back by so much; ahead, where it is negative. */
    setBack(ms: number): Promise<unknown>;
  };
};
