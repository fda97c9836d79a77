// Bids that people write into a claim's hash: noticed by the number of the hash's fields, so that
// claims that wait cost next to nothing.

import { sleep } from "../../../lib/async/sleep.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { Deps } from "../leader/deps.ts";
import { IsolatedJobs } from "../leader/isolated-jobs.ts";

const claimsAtOnce = 1_000;
/** Between two parts of many claims: a hundred thousand are looked at within six seconds. */
const partEveryMs = 50;

type HandDeps = Pick<Deps, "board" | "log">;

export class BidsByHand {
  readonly #deps: HandDeps;
  readonly #decider: Decider;
  readonly #isolated: IsolatedJobs<ClaimId>;

  constructor(deps: HandDeps, decider: Decider) {
    this.#deps = deps;
    this.#decider = decider;
    this.#isolated = new IsolatedJobs(
      deps.log,
      "Could not read the bids on a claim; it stays as it is",
      "claim_id",
    );
  }

  /** Looks at every claim whose bidding is open, in parts. */
  async runOnce(signal: AbortSignal): Promise<void> {
    for (let left: number | undefined; left !== 0 && !signal.aborted; ) {
      const found = await this.#deps.board.findBidsByHand({ left, limit: claimsAtOnce });
      await this.#isolated.run(found.claims, (claim) => this.adopt(claim));
      left = found.left;
      if (left > 0) await sleep(partEveryMs, signal);
    }
  }

  /**
   * Records the bids that were written by hand, refuses what is none, and goes on with the claim.
   */
  async adopt(claim: ClaimId): Promise<void> {
    const { board } = this.#deps;
    const readOn = board.connectionNumber();
    const adopted = await board.adoptBids(claim);
    if (adopted.count > 0) await this.#decider.decide(claim, { kind: "progress" }, { readOn });
  }
}
