// A leader keeps what it knows of claims, so that most decisions read nothing
// (docs/internals/known-claims.md).

import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimSnapshot, RunningGrant } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { hasAlready, withEvent, withRun, withStart } from "./moved-claim.ts";

/**
 * All of it is as of one connection: with that it is forgotten, because the log does not have what
 * Redis loses in a crash.
 *
 * | state    | known                 | entered                                  | where it is wrong        |
 * |----------|-----------------------|------------------------------------------|--------------------------|
 * | unknown  | nothing               | at first; a commit was refused; contact  | cannot be                |
 * |          |                       | was lost; there was no room              |                          |
 * | cached   | claim and grants      | opened, read or written by this leader;  | a commit is `stale` by   |
 * |          |                       | moved on by events of agents             | its rev: unknown         |
 * | outdated | that more has         | an event that does not fit the cached    | the next decision reads  |
 * |          | happened              | claim, or comes before our answer        | the claim: unknown       |
 * | ended    | that it is over       | a commit of this leader                  | cannot be: ends are final|
 *
 * Three more last for one decision: `stored` (as it was read just now), `ahead` (the cached claim
 * with a result that is about to be written) and *later* (the claim as decided, with the starts of
 * others that the log has shown since). A claim is *held up* beside its state: it waits for the end
 * of a pause, or for a registration that can be read.
 */
export type Knowledge =
  | { state: "unknown" }
  | { state: "cached"; snapshot: ClaimSnapshot }
  | { state: "outdated" }
  | { state: "ended" };

/** The claim that a decision is made on. */
export type Ground = { state: "cached" | "stored" | "ahead"; snapshot: ClaimSnapshot };

/** Cache size. A claim that was evicted costs one more read. */
const maxClaims = 40_000;

const unknown: Knowledge = { state: "unknown" };

/** Events of changes that agents make, without a commit of the orchestrator. */
const agentEvents = new Set<SettEvent["type"]>([
  "bid_placed",
  "grant_started",
  "grant_done",
  "grant_failed",
  "grant_waiting",
]);

export class KnownClaims {
  readonly #claims = new RecentMap<ClaimId, Exclude<Knowledge, { state: "unknown" }>>(maxClaims);
  readonly #heldUp = new Set<ClaimId>();
  readonly #board: Pick<LeaderBlackboard, "connectionNumber">;
  #connection: number;

  constructor(board: Pick<LeaderBlackboard, "connectionNumber">) {
    this.#board = board;
    this.#connection = board.connectionNumber();
  }

  /** Undefined where it is not cached. */
  get(id: ClaimId): ClaimSnapshot | undefined {
    const known = this.#of(id);
    return known.state === "cached" ? known.snapshot : undefined;
  }

  hasEnded(id: ClaimId): boolean {
    return this.#of(id).state === "ended";
  }

  /**
   * Caches it, unless the log is ahead of it: the next decision then reads it. What comes from an
   * earlier `connection` than the present one is not cached.
   */
  put(snapshot: ClaimSnapshot, connection: number): void {
    const { id } = snapshot.claim;
    const { state } = this.#of(id);
    if (connection !== this.#connection || state === "ended") return;
    if (state === "outdated") this.#claims.delete(id);
    else this.#claims.set(id, { state: "cached", snapshot });
  }

  end(id: ClaimId, connection: number): void {
    this.#forgetLostConnection();
    if (connection === this.#connection) this.#claims.set(id, { state: "ended" });
  }

  /** What the log has shown so far is in what is read from now on. */
  expectRead(id: ClaimId): void {
    if (this.#of(id).state === "outdated") this.#claims.delete(id);
  }

  /** The next decision reads it. */
  drop(id: ClaimId): void {
    this.#claims.delete(id);
  }

  /** Notes what this leader has put on record for an agent. Its event follows, or has come. */
  start(id: ClaimId, running: RunningGrant, connection: number): void {
    const known = this.get(id);
    const snapshot = known && (withStart(known, running) ?? withRun(known, running));
    if (snapshot !== undefined && connection === this.#connection)
      this.#claims.set(id, { state: "cached", snapshot });
  }

  /** Applies what an agent did to a claim, as the log has it on the present connection. */
  apply(event: SettEvent): void {
    if (event.claim_id === undefined || !agentEvents.has(event.type)) return;
    const known = this.#of(event.claim_id);
    if (known.state === "ended") return;
    const snapshot = known.state === "cached" ? known.snapshot : undefined;
    if (snapshot !== undefined && hasAlready(snapshot, event)) return;
    const next = snapshot && withEvent(snapshot, event);
    const isApplied = next !== undefined && next !== snapshot;
    this.#claims.set(
      event.claim_id,
      isApplied ? { state: "cached", snapshot: next } : { state: "outdated" },
    );
  }

  /** `isHeldUp`: a pause, or a registration that cannot be read, keeps the claim from going on. */
  setHeldUp(id: ClaimId, isHeldUp: boolean): void {
    if (isHeldUp) this.#heldUp.add(id);
    else this.#heldUp.delete(id);
  }

  get heldUp(): ClaimId[] {
    return [...this.#heldUp];
  }

  #of(id: ClaimId): Knowledge {
    this.#forgetLostConnection();
    return this.#claims.get(id) ?? unknown;
  }

  #forgetLostConnection(): void {
    const connection = this.#board.connectionNumber();
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#claims.clear();
  }
}
