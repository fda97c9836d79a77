// Claims as the log shows them, so that most decisions read nothing. The copy of a claim that a
// person has changed by hand is wrong: a commit that was decided on it is refused because of its
// rev, and reconciling the open claims finds what the copy did not show. A copy lasts as long as
// the connection that it comes from: what Redis loses in a crash is not in the log.

import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { BidWord } from "../../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant, RunningGrant } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";

/** A claim beyond these is read again. */
const maxClaims = 20_000;

/** Events of changes that agents make, without a commit of the orchestrator. */
const agentEvents = new Set<SettEvent["type"]>([
  "bid_placed",
  "grant_started",
  "grant_done",
  "grant_failed",
  "grant_waiting",
]);

export class ClaimCache {
  readonly #claims = new RecentMap<ClaimId, ClaimSnapshot>(maxClaims);
  /**
   * Claims of which an event arrived before the answer to our own commit: the event could not be
   * applied.
   */
  readonly #outdated = new RecentMap<ClaimId, true>(maxClaims);
  readonly #board: Pick<LeaderBlackboard, "connectionNumber">;
  #connection: number;

  constructor(board: Pick<LeaderBlackboard, "connectionNumber">) {
    this.#board = board;
    this.#connection = board.connectionNumber();
  }

  get(id: ClaimId): ClaimSnapshot | undefined {
    this.#forgetLostConnection();
    return this.#claims.get(id);
  }

  /**
   * Not kept when the log is ahead of it: the next decision then reads what is stored. Neither is
   * what comes from an earlier connection than the present one.
   */
  put(snapshot: ClaimSnapshot, connection: number): void {
    this.#forgetLostConnection();
    if (connection !== this.#connection) return;
    const { id } = snapshot.claim;
    if (this.#outdated.get(id) === undefined) this.#claims.set(id, snapshot);
    else this.drop(id);
  }

  /** What the log has shown so far is in what is read from now on. */
  expectRead(id: ClaimId): void {
    this.#outdated.delete(id);
  }

  drop(id: ClaimId): void {
    this.#claims.delete(id);
    this.#outdated.delete(id);
  }

  /** What this leader itself has put on record for an agent; the event of it follows. */
  start(id: ClaimId, running: RunningGrant, connection: number): void {
    const known = this.get(id);
    const next = known && withStart(known, running);
    if (next !== undefined && connection === this.#connection) this.#claims.set(id, next);
  }

  /** Applies what an agent did to a claim, as the log has it on the present connection. */
  apply(event: SettEvent): void {
    this.#forgetLostConnection();
    if (event.claim_id === undefined || !agentEvents.has(event.type)) return;
    const known = this.#claims.get(event.claim_id);
    if (known !== undefined && hasAlready(known, event)) return;
    const next = known && withEvent(known, event);
    if (next !== undefined && next !== known) return this.#claims.set(event.claim_id, next);
    this.#claims.delete(event.claim_id);
    this.#outdated.set(event.claim_id, true);
  }

  #forgetLostConnection(): void {
    const connection = this.#board.connectionNumber();
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#claims.clear();
    this.#outdated.clear();
  }
}

/** Undefined where the grant does not wait for this start. */
export function withStart(
  { claim, grants }: ClaimSnapshot,
  running: RunningGrant,
): ClaimSnapshot | undefined {
  const isIt = ({ agent, state, attempt, queued_at }: Grant) =>
    agent === running.agent &&
    state === "queued" &&
    attempt === running.attempt &&
    queued_at === running.queued_at;
  if (!grants.some(isIt)) return undefined;
  return {
    claim: { ...claim, rev: claim.rev + 1 },
    grants: grants.map((one) => (isIt(one) ? running : one)),
  };
}

/** Undefined where the grant does not run in this attempt. */
export function withEnd({ claim, grants }: ClaimSnapshot, ended: Grant): ClaimSnapshot | undefined {
  const isIt = ({ agent, state, attempt, queued_at }: Grant) =>
    agent === ended.agent &&
    state === "running" &&
    attempt === ended.attempt &&
    queued_at === ended.queued_at;
  if (!grants.some(isIt)) return undefined;
  return {
    claim: { ...claim, rev: claim.rev + 1 },
    grants: grants.map((one) => (isIt(one) ? ended : one)),
  };
}

/**
 * The claim as it was decided, with the grants that others have begun meanwhile: `known` is what it
 * was decided on, `current` what it is by the log. The decision was written first, or it would have
 * been refused. Undefined where the two do not fit.
 */
export function withLater(
  decided: ClaimSnapshot,
  known: ClaimSnapshot,
  current: ClaimSnapshot,
  own: AgentName | undefined,
): ClaimSnapshot | undefined {
  if (current.claim.bids !== known.claim.bids) return undefined;
  const later = current.grants.filter(
    (grant) => grant.agent !== own && !known.grants.includes(grant),
  );
  const before = (agent: AgentName) => known.grants.find((one) => one.agent === agent);
  const areStarts = later.every(
    ({ agent, state }) =>
      state === "running" &&
      before(agent)?.state === "queued" &&
      decided.grants.some((one) => one === before(agent)),
  );
  if (!areStarts) return undefined;
  return {
    claim: { ...decided.claim, rev: decided.claim.rev + later.length },
    grants: decided.grants.map(
      (grant) => later.find(({ agent }) => agent === grant.agent) ?? grant,
    ),
  };
}

/** This leader has put it on record itself, and knows it since then. */
function hasAlready(
  { grants }: ClaimSnapshot,
  { type, agent, artefact_id, data }: SettEvent,
): boolean {
  const grant = grants.find((one) => one.agent === agent);
  if (grant === undefined || grant.attempt !== data?.attempt) return false;
  if (type === "grant_started") return grant.state !== "queued";
  return (
    type === "grant_done" &&
    grant.state === "done" &&
    grant.artefact_ids.some((id) => id === artefact_id)
  );
}

/**
 * Undefined where the event does not hold enough: that of a failed attempt does not name the
 * attempt's inputs, which the next grant needs.
 */
function withEvent(
  known: ClaimSnapshot,
  { type, agent, time, artefact_id, data }: SettEvent,
): ClaimSnapshot | undefined {
  const { claim, grants } = known;
  const nextClaim = { ...claim, rev: claim.rev + 1 };
  const grant = grants.find((one) => one.agent === agent);
  const withGrant = (next: Grant): ClaimSnapshot => ({
    claim: nextClaim,
    grants: grants.map((one) => (one === grant ? next : one)),
  });
  switch (type) {
    case "bid_placed": {
      const word = BidWord.safeParse(data?.word).data;
      if (
        agent === undefined ||
        word === undefined ||
        claim.bids.some((bid) => bid.agent === agent)
      )
        return known;
      return { claim: { ...nextClaim, bids: [...claim.bids, { agent, word }] }, grants };
    }
    case "grant_started":
      if (grant?.state !== "queued" || grant.attempt !== data?.attempt) return known;
      return withGrant({ ...grant, state: "running", started_at: time, context_ids: [] });
    case "grant_done":
      if (
        grant?.state !== "running" ||
        grant.attempt !== data?.attempt ||
        artefact_id === undefined
      )
        return known;
      return withGrant({ ...grant, state: "done", ended_at: time, artefact_ids: [artefact_id] });
    case "grant_failed":
      return undefined;
    default:
      return known;
  }
}
