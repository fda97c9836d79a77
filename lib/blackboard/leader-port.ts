// The orchestrator's leader lease, and what is due. A part of the port.
import type { AgentName, ClaimId } from "../model/ids.ts";

/** What falls due at a moment of Redis TIME. */
export type DueItem =
  | { kind: "bids"; claim: ClaimId }
  | { kind: "announce"; claim: ClaimId }
  | { kind: "lease"; claim: ClaimId; agent: AgentName; attempt: number }
  | { kind: "attempt"; claim: ClaimId; agent: AgentName; attempt: number };

/** As it is found: also what none of our scripts has written, which nobody can do anything about but take it out. */
export type FoundDue = DueItem | { kind: "unreadable"; member: string };

export interface LeaderLease {
  /**
   * Takes or renews the one leader lease. A new holder (or the same one with `restarted`, after a restart) gets epoch + 1 and an `orchestrator_started` event.
   * A renewal keeps the epoch, which belongs to this handle alone: a namesake that asks through another one finds it `taken`, and no write of
   * its own passes under that epoch. `cursor` is where in the log the orchestrator stands. `taken`: somebody else's lease has `expiresInMs` to run.
   */
  acquireLeaderLease(order: {
    holder: string;
    leaseMs: number;
    restarted: boolean;
  }): Promise<{ outcome: "held"; epoch: number; cursor: string } | { outcome: "taken"; holder: string; expiresInMs: number }>;
  /** Lets the lease lapse at once, if it is still this epoch's. */
  releaseLeaderLease(epoch: number): Promise<void>;
  /** Who holds it, for people who look; of a lease that has lapsed `expiresInMs` is negative. */
  readLeader(): Promise<{ holder: string; epoch: number; expiresInMs: number; cursor: string } | undefined>;
  /**
   * Not repeated when contact breaks: a Redis that crashed may have lost what was done up to here, while the cursor that it kept is never
   * ahead of what it kept.
   */
  moveCursor(epoch: number, cursor: string): Promise<{ outcome: "moved" | "fenced" }>;
  /**
   * What is due now by Redis TIME, of each of these kinds (all, if none are given) at most `limit` items, earliest first. They stay due until a
   * commit clears or moves them. When that clock is set back, all that was to come due still comes: taking or renewing the leader lease sees to it.
   */
  listDue(limit: number, kinds?: readonly FoundDue["kind"][]): Promise<FoundDue[]>;
  clearDue(items: readonly FoundDue[], epoch: number): Promise<{ outcome: "cleared" | "fenced" }>;
  /** They come due again after that. What has been moved further meanwhile stays there; what is no longer due stays out. */
  deferDue(items: readonly FoundDue[], afterMs: number, epoch: number): Promise<{ outcome: "deferred" | "fenced" }>;
}
