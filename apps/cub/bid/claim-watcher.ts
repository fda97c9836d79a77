// The loop that bids where the agent is asked: a claim is announced → decide the bid → place it. It
// does not depend on the work, so work never delays it.

import { Bounded } from "../../../lib/async/bounded.ts";
import type { Announcement } from "../../../lib/blackboard/port/claims.ts";
import type { BidTarget } from "../../../lib/core/decide-bid.ts";
import { standingBid } from "../../../lib/core/standing-bids.ts";
import { type Claim, type ClaimSnapshot, missingBidders } from "../../../lib/model/claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../program/deps.ts";
import { runPerConnection } from "../program/run-per-connection.ts";
import { placeBid } from "./place-bid.ts";

/** A bid command takes up to ten seconds, and one slow claim must not delay the next ones. */
const maxCommandsAtOnce = 8;

/** Without a command a bid is one call of Redis, and many are sent together. */
const maxBidsAtOnce = 500;

/** Claims and their targets are read together; payloads of 16 MiB bound how many. */
const maxReadAtOnce = 32;

export class ClaimWatcher {
  readonly #deps: Deps;
  readonly #bids: Bounded;
  readonly #biddingOn = new Set<ClaimId>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#bids = new Bounded(() =>
      deps.registration.current.bids_by_command === true ? maxCommandsAtOnce : maxBidsAtOnce,
    );
  }

  /** The claims whose bids the cub is deciding or placing right now. */
  get biddingOn(): readonly ClaimId[] {
    return [...this.#biddingOn];
  }

  /**
   * Bids until `stop` on the open claims in which it is asked, then on each claim that is
   * announced. Resolves when no bid is under way.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { board, log, registration, watch } = this.#deps;
    await runPerConnection({ board, log, watch: watch.watcher }, stop, async (signal) => {
      // The registration may have changed during the reconnect.
      await registration.refresh(board);
      // The end is read first: a claim that is announced while the open claims are read then
      // arrives twice rather than never.
      const end = await board.endOfAnnouncements();
      await this.tick(await board.listClaimsOf(registration.current.name, "asked"), stop);
      for await (const announced of board.followAnnouncements(end, signal))
        await this.bidOnAnnounced(announced, stop);
    });
    await this.#bids.settled();
  }

  /**
   * Begins the bids on announced claims. An announcement has every field that rules use, so nothing
   * is read. Resolves when the last bid has begun.
   */
  async bidOnAnnounced(announced: readonly Announcement[], stop: AbortSignal): Promise<void> {
    const own = this.#deps.registration.current.name;
    for (const { claim, artefact_id, missing, ...target } of announced) {
      if (stop.aborted) break;
      const isBidMissing = missing.includes(own);
      if (isBidMissing && !this.#biddingOn.has(claim))
        await this.#begin({ id: claim, artefact_id }, target, stop);
    }
    this.#markIdleIfDone();
  }

  /**
   * Begins the bids that are missing on these claims, where the agent must be asked; resolves when
   * the last bid has begun. The orchestrator places all others.
   */
  async tick(claims: readonly ClaimId[], stop: AbortSignal): Promise<void> {
    const fresh = [...new Set(claims)].filter((claim) => !this.#biddingOn.has(claim));
    for (let from = 0; from < fresh.length && !stop.aborted; from += maxReadAtOnce) {
      this.#deps.watch.watcher.markProgress();
      await this.#bidOn(fresh.slice(from, from + maxReadAtOnce), stop);
    }
    this.#markIdleIfDone();
  }

  async #bidOn(ids: ClaimId[], stop: AbortSignal): Promise<void> {
    const { board } = this.#deps;
    const open = (await board.readClaims(ids))
      .filter((snapshot) => this.#isBidMissing(snapshot))
      .map(({ claim }) => claim);
    if (open.length === 0) return;
    const targetById = await this.#readTargets([
      ...new Set(open.map((claim) => claim.artefact_id)),
    ]);
    for (const claim of open) {
      const target = targetById.get(claim.artefact_id);
      if (
        target === undefined ||
        standingBid(target, this.#deps.registration.current) === undefined
      )
        await this.#begin(claim, target, stop);
    }
  }

  async #begin(
    claim: Pick<Claim, "id" | "artefact_id">,
    target: BidTarget | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    this.#deps.watch.watcher.markProgress();
    this.#biddingOn.add(claim.id);
    await this.#bids.start(async () => {
      try {
        await placeBid(this.#deps, { claim, target }, stop);
      } finally {
        this.#biddingOn.delete(claim.id);
        this.#markIdleIfDone();
      }
    });
  }

  /**
   * One unreadable artefact (a person may have changed it in Redis) must not keep the agent from
   * bidding on the others.
   */
  async #readTargets(ids: ArtefactId[]): Promise<Map<ArtefactId, BidTarget>> {
    const { board, log } = this.#deps;
    try {
      return new Map((await board.readHeads(ids)).map(({ head }) => [head.id, head]));
    } catch (error) {
      if (isAway(error)) throw error;
      if (ids.length > 1)
        return new Map(
          (await Promise.all(ids.map((id) => this.#readTargets([id])))).flatMap((found) => [
            ...found,
          ]),
        );
      log.error("The artefact of a claim cannot be read", {
        artefact_id: ids[0],
        error: messageOf(error),
      });
      return new Map();
    }
  }

  #isBidMissing({ claim }: ClaimSnapshot): boolean {
    const own = this.#deps.registration.current.name;
    return claim.bidding === "open" && missingBidders(claim).includes(own);
  }

  #markIdleIfDone(): void {
    if (this.#biddingOn.size === 0) this.#deps.watch.watcher.markIdle();
    else this.#deps.watch.watcher.markProgress();
  }
}
