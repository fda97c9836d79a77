// A claim that waits for bids is looked at often, because they may come by hand, and announced again ever more rarely: a cub that starts
// or reconnects looks at the open claims by itself.

import { RecentMap } from "../../lib/async/recent-map.ts";
import { firstAnnouncementAfterMs } from "../../lib/blackboard/first-announcement.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import type { Decider } from "./decide-and-commit.ts";
import { type Deps, Fenced } from "./deps.ts";

/** Bids that people write into a claim's hash count within ten seconds. */
const lookEveryMs = 8_000;

const maxSilenceMs = 60 * 60_000;

/** A forgotten claim is announced once more. */
const maxClaims = 20_000;

export class AskAgain {
  readonly #deps: Deps;
  readonly #decider: Decider;
  /** When the next announcement is due, by the milliseconds that have passed, and how long after the one before. */
  readonly #plans = new RecentMap<ClaimId, { atMs: number; afterMs: number }>(maxClaims);

  constructor(deps: Deps, decider: Decider) {
    this.#deps = deps;
    this.#decider = decider;
  }

  /** Takes in what was bid by hand, then asks those who are missing, if it is time to. */
  async look(claim: ClaimId, epoch: number): Promise<void> {
    const { board, clock, log } = this.#deps;
    const adopted = await board.adoptBids(claim, epoch);
    if (adopted.outcome === "fenced") throw new Fenced(epoch);
    if (adopted.count > 0) await this.#decider.decide(claim, { kind: "progress" }, epoch);
    const nowMs = clock.passedMs();
    const known = this.#plans.get(claim);
    const plan = known ?? { atMs: nowMs, afterMs: firstAnnouncementAfterMs };
    const isSilent = nowMs < plan.atMs;
    const next = isSilent ? plan : { atMs: nowMs + plan.afterMs, afterMs: Math.min(maxSilenceMs, 2 * plan.afterMs) };
    const nextAfterMs = Math.min(lookEveryMs, next.atMs - nowMs);
    const { outcome } = await board.announceClaim({ claim, epoch, nextAfterMs, isSilent });
    switch (outcome) {
      case "fenced":
        throw new Fenced(epoch);
      case "ended":
        return this.#plans.delete(claim);
      case "announced":
        if (known === undefined) log.info("Announced claim again, more and more rarely after this", { claim_id: claim });
        return this.#plans.set(claim, next);
    }
  }
}
