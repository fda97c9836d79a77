// Announces a claim again while it waits for bids, at growing intervals: a cub that starts or
// reconnects reads by itself where it is asked.

import { RecentMap } from "../../../lib/async/recent-map.ts";
import { firstAnnouncementAfterMs } from "../../../lib/blackboard/records/first-announcement.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";

const maxIntervalMs = 60 * 60_000;

/** A claim beyond these is announced once more. */
const maxClaims = 20_000;

export class ClaimAnnouncer {
  readonly #deps: Deps;
  /** Called for a claim that still waits for bids. */
  readonly #onAsked: (claim: ClaimId) => void;
  /**
   * When the next announcement is due, by the clock's `passedMs`, and how long after the last one.
   */
  readonly #plans = new RecentMap<ClaimId, { atMs: number; afterMs: number }>(maxClaims);

  constructor(deps: Deps, onAsked: (claim: ClaimId) => void) {
    this.#deps = deps;
    this.#onAsked = onAsked;
  }

  /** If it is time to, announces the claim to the agents that have not bid. */
  async tick(claim: ClaimId): Promise<void> {
    const { board, clock, log } = this.#deps;
    const nowMs = clock.passedMs();
    const known = this.#plans.get(claim);
    const plan = known ?? { atMs: nowMs, afterMs: firstAnnouncementAfterMs };
    const isSilent = nowMs < plan.atMs;
    const next = isSilent
      ? plan
      : { atMs: nowMs + plan.afterMs, afterMs: Math.min(maxIntervalMs, 2 * plan.afterMs) };
    const { outcome } = await board.announceClaim({
      claim,
      nextAfterMs: next.atMs - nowMs,
      isSilent,
    });
    switch (outcome) {
      case "ended":
        return this.#plans.delete(claim);
      case "announced":
        this.#onAsked(claim);
        if (known === undefined)
          log.info("Announced claim again; the intervals grow from here", { claim_id: claim });
        return this.#plans.set(claim, next);
    }
  }
}
