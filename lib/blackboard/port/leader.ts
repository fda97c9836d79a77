// The orchestrator's leader lease, what is due, and what only the holder of the lease writes. A
// part of the port.
import type { Artefact } from "../../model/artefact.ts";
import type { EventDraft } from "../../model/event.ts";
import type { AgentName, ClaimId } from "../../model/ids.ts";
import type { ReadOn } from "./artefacts.ts";
import type { OwedEvent } from "./owed-event.ts";
import type { Refused } from "./refused.ts";

/** An entry that is due at a moment of Redis TIME. */
export type DueItem =
  | { kind: "bids"; claim: ClaimId }
  | { kind: "announce"; claim: ClaimId }
  | { kind: "lease"; claim: ClaimId; agent: AgentName; attempt: number }
  | { kind: "attempt"; claim: ClaimId; agent: AgentName; attempt: number };

/** As it is found: also a member that no Lua function has written, which can only be removed. */
export type FoundDue = DueItem | { kind: "unreadable"; member: string };

/**
 * The connections of one user of Redis that have been ended. `agent`: whose user it is, where it is
 * an agent's.
 */
export type EndedConnections = { user: string; agent: AgentName | undefined; connections: number };

/** The slow commands of one agent's user of Redis, whose connections have been ended for them. */
export type SlowCaller = { user: string; agent: AgentName; calls: number; ms: number };

/**
 * At least `calls` commands of at least `fromMs` each, on which Redis worked for `ms` together,
 * within about so many `seconds`.
 */
export type SlowLimit = { calls: number; fromMs: number; ms: number; seconds: number };

export interface LeaderLease {
  /**
   * Acquires or renews the one leader lease. A new holder (or the same one with `restarted`, after
   * a restart) gets epoch + 1 and an `orchestrator_started` event. A renewal keeps the epoch, which
   * belongs to this handle alone: a namesake that asks through another handle is answered `taken`,
   * and none of its writes passes under that epoch. `cursor`: up to where in the log all decisions
   * are made. `taken`: the lease of `holder` ends in `expiresInMs`.
   */
  acquireLeaderLease(order: {
    holder: string;
    leaseMs: number;
    restarted: boolean;
    version?: string | undefined;
  }): Promise<
    | { outcome: "held"; epoch: number; cursor: string }
    | { outcome: "taken"; holder: string; expiresInMs: number }
  >;
  /** Ends the lease at once, if this epoch still holds it. */
  releaseLeaderLease(epoch: number): Promise<void>;
  /** The last holder; `expiresInMs` is negative where the lease has lapsed. */
  readLeader(): Promise<
    { holder: string; epoch: number; expiresInMs: number; cursor: string } | undefined
  >;
  /**
   * Not repeated when contact breaks: a Redis that crashed may have lost what was done up to here,
   * while the cursor that it kept is never ahead of what it kept.
   */
  moveCursor(epoch: number, cursor: string): Promise<{ outcome: "moved" | "fenced" }>;
  /**
   * Lists what is due now by Redis TIME, of each of these kinds (all, if none are given) at most
   * `limit` items, earliest first. They stay due until a commit clears or moves them. After that
   * clock was set back, the next `acquireLeaderLease` moves them back with it.
   */
  listDue(limit: number, kinds?: readonly FoundDue["kind"][]): Promise<FoundDue[]>;
  /**
   * Handled: they are not due any more. An item that has been moved further meanwhile stays there.
   * Not repeated when contact breaks: what was done about them may be lost, and they would be, too.
   */
  clearDue(items: readonly FoundDue[], epoch: number): Promise<{ outcome: "cleared" | "fenced" }>;
  /**
   * They are due again after `afterMs`. An item that has been moved further meanwhile stays there;
   * one that is no longer due stays out.
   */
  deferDue(
    items: readonly FoundDue[],
    afterMs: number,
    epoch: number,
  ): Promise<{ outcome: "deferred" | "fenced" }>;
  /**
   * Appends an event of the orchestrator's own that comes with no change of state. `readOn`: where
   * it is the refusal of a request.
   */
  logAsLeader(
    draft: EventDraft,
    epoch: number,
    readOn?: ReadOn,
  ): Promise<{ outcome: "logged" | "fenced" }>;
  /**
   * The event could not be handled, and is owed from now on: it is listed until it is settled. The
   * first time `draft` is logged. A repeat changes nothing.
   */
  oweEvent(
    owed: OwedEvent,
    draft: EventDraft,
    epoch: number,
  ): Promise<{ outcome: "owed" | "fenced" }>;
  /**
   * Events that were handled after all are owed no more. Only on the connection `readOn`: a Redis
   * that crashed may have lost their work.
   */
  settleOwed(
    ids: readonly string[],
    epoch: number,
    readOn?: ReadOn,
  ): Promise<{ outcome: "settled" | "fenced" }>;
  /**
   * The events that are owed, oldest first: those after `after`, at most `limit`; and how many
   * there are of all.
   */
  listOwed(limit: number, after?: string): Promise<{ count: number; owed: OwedEvent[] }>;
  /**
   * As `createArtefact`, for what the orchestrator posts. Refused also where Redis has lost one of
   * its sources.
   */
  postAsLeader(
    artefact: Artefact,
    epoch: number,
  ): Promise<{ outcome: "created" | "exists" | "fenced" } | Refused>;
  /** How many connections there are, those of all users. Costs little, however many there are. */
  countConnections(): Promise<number>;
  /**
   * Ends every connection of each agent that has more than `limit` of them, and answers whose they
   * were, and the most that another agent has. Connections without a password, which Redis cannot
   * tell from the owner's, count as the ones of a user of their own.
   */
  endConnections(limit: number): Promise<{ ended: EndedConnections[]; most: number }>;
  /**
   * Ends every connection of each agent whose slow commands are over one of the limits, where some
   * command has been slow since `after`: the number of an entry in Redis' log of slow commands.
   * Undefined: nothing is known yet, and none is ended. `last`: the number to go on from.
   */
  endSlowCallers(
    after: number | undefined,
    limits: readonly SlowLimit[],
  ): Promise<{ ended: SlowCaller[]; last: number }>;
}
