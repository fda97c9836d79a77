// A part of the port: the notary reads the log, and leaves its checkpoint.

/** An entry of the log as Redis has it: an event of ours, or what a person has written. */
export type RawEvent = { place: string; type: string; event: string };

/** `size`: of the tree. `checkpoint`: the signed note about it. */
export type SealedSize = { size: number; checkpoint: string };

/** `place`: of the last event that is sealed; `0` before the first. */
type Sealed = SealedSize & { place: string };

/** Others have seen the first `size` entries. `at`: when, by their clocks, as an ISO 8601 time. */
export type Anchored = { size: number; at: string };

/** A log that a person has given up. `checkpoint`: its last one that Redis knew. */
export type FormerProof = { checkpoint: string; by: string; reason: string; at: string };

export interface ProofBoard {
  /** Events after `from` (`0` is the beginning), at most `count`; empty at the end. */
  readRawEvents(from: string, count: number): Promise<RawEvent[]>;
  /**
   * Ends the right of every other notary to seal. What was sealed, as far as Redis knows; undefined
   * where nothing is.
   */
  takeProof(holder: string): Promise<SealedSize | undefined>;
  /**
   * From now on Redis knows of no log that is sealed, and keeps which one was given up. Calling it
   * again, after a crash, is harmless.
   */
  leaveProof(former: FormerProof): Promise<void>;
  /** Undefined where none was given up. */
  readFormerProof(): Promise<FormerProof | undefined>;
  /** The newest checkpoint; undefined where nothing is sealed. */
  readCheckpoint(): Promise<string | undefined>;
  /** The place of the last event that is sealed; undefined where nothing is. */
  readSealedPlace(): Promise<string | undefined>;
  /** Undefined where nothing was shown to others yet. */
  readAnchored(): Promise<Anchored | undefined>;
  noteAnchored(anchored: Anchored | undefined): Promise<void>;
  /** `before`: the size that the holder knows. `moved`: Redis knows another one. */
  noteCheckpoint(order: {
    holder: string;
    before: number;
    sealed: Sealed;
  }): Promise<{ outcome: "noted" | "moved" | "fenced" }>;
}
