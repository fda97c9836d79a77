// Claims as the log tells them, so that the usual decision reads nothing. One that was changed by hand is known wrong: a commit that was
// decided on it is refused by its rev, and what was overlooked is found when the open claims are reconciled.

import { RecentMap } from "../../lib/async/recent-map.ts";
import { BidWord } from "../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant } from "../../lib/model/claim.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ClaimId } from "../../lib/model/ids.ts";

/** Forgotten ones are read again. */
const maxClaims = 20_000;

/** What changes a claim without a commit of ours. */
const byAgents = new Set<SettEvent["type"]>(["bid_placed", "grant_started", "grant_done", "grant_failed", "grant_waiting"]);

export class ClaimCache {
  readonly #claims = new RecentMap<ClaimId, ClaimSnapshot>(maxClaims);
  /** Of these the log has told something that was not known of when it came: the answer to our own commit was still under way. */
  readonly #outrun = new RecentMap<ClaimId, true>(maxClaims);

  get(id: ClaimId): ClaimSnapshot | undefined {
    return this.#claims.get(id);
  }

  /** Not kept when the log has gone ahead of it: the next look is then at what is stored. */
  put(snapshot: ClaimSnapshot): void {
    const { id } = snapshot.claim;
    if (this.#outrun.get(id) === undefined) this.#claims.set(id, snapshot);
    else this.drop(id);
  }

  drop(id: ClaimId): void {
    this.#claims.delete(id);
    this.#outrun.delete(id);
  }

  clear(): void {
    this.#claims.clear();
    this.#outrun.clear();
  }

  /** Follows what agents did to a claim. */
  apply(event: SettEvent): void {
    if (event.claim_id === undefined || !byAgents.has(event.type)) return;
    const known = this.#claims.get(event.claim_id);
    const next = known && applied(known, event);
    if (next !== undefined && next !== known) return this.#claims.set(event.claim_id, next);
    this.#claims.delete(event.claim_id);
    this.#outrun.set(event.claim_id, true);
  }
}

/** Undefined where what it writes next may have to be whole: the log tells of a failed attempt, but not what it was based on. */
function applied(known: ClaimSnapshot, { type, agent, time, artefact_id, data }: SettEvent): ClaimSnapshot | undefined {
  const { claim, grants } = known;
  const isMoved = { ...claim, rev: claim.rev + 1 };
  const grant = grants.find((one) => one.agent === agent);
  const withGrant = (next: Grant): ClaimSnapshot => ({
    claim: isMoved,
    grants: grants.map((one) => (one === grant ? next : one)),
  });
  switch (type) {
    case "bid_placed": {
      const word = BidWord.safeParse(data?.word).data;
      if (agent === undefined || word === undefined || claim.bids.some((bid) => bid.agent === agent)) return known;
      return { claim: { ...isMoved, bids: [...claim.bids, { agent, word }] }, grants };
    }
    case "grant_started":
      if (grant?.state !== "queued" || grant.attempt !== data?.attempt) return known;
      return withGrant({ ...grant, state: "running", started_at: time, context_ids: [] });
    case "grant_done":
      if (grant?.state !== "running" || grant.attempt !== data?.attempt || artefact_id === undefined) return known;
      return withGrant({ ...grant, state: "done", ended_at: time, artefact_ids: [artefact_id] });
    case "grant_failed":
      return undefined;
    default:
      return known;
  }
}
