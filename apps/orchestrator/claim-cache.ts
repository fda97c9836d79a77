// Claims as the log tells them, so that the usual decision reads nothing. It may be wrong: a commit that was decided on a wrong one is
// refused by its rev, and what leads to no commit is looked at again as it is stored.

import { BidWord } from "../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant } from "../../lib/model/claim.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { RecentMap } from "../../lib/service/recent-map.ts";

/** Forgotten ones are read again. */
const mostClaims = 20_000;

export class ClaimCache {
  readonly #claims = new RecentMap<ClaimId, ClaimSnapshot>(mostClaims);

  get(id: ClaimId): ClaimSnapshot | undefined {
    return this.#claims.get(id);
  }

  put(snapshot: ClaimSnapshot): void {
    this.#claims.set(snapshot.claim.id, snapshot);
  }

  drop(id: ClaimId): void {
    this.#claims.delete(id);
  }

  clear(): void {
    this.#claims.clear();
  }

  /** Follows what agents did to a claim. */
  apply(event: SettEvent): void {
    const known = event.claim_id === undefined ? undefined : this.#claims.get(event.claim_id);
    if (known === undefined) return;
    const next = applied(known, event);
    if (next !== known) this.#claims.set(known.claim.id, next);
  }
}

function applied(known: ClaimSnapshot, { type, agent, time, artefact_id, data }: SettEvent): ClaimSnapshot {
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
      if (grant?.state !== "running" || grant.attempt !== data?.attempt || artefact_id === undefined) return known;
      return withGrant({ ...grant, state: "failed", ended_at: time, artefact_ids: [artefact_id], reason: String(data?.reason) });
    default:
      return known;
  }
}
