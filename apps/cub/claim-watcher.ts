// The loop that bids: hear of a claim → decide the bid → place it. It knows nothing of the work, so work never holds it up.

import { Bounded } from "../../lib/async/bounded.ts";
import { RecentMap } from "../../lib/async/recent-map.ts";
import type { Announcement } from "../../lib/blackboard/port.ts";
import type { BidSubject } from "../../lib/core/decide-bid.ts";
import { type Claim, type ClaimSnapshot, missingBidders } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { Deps } from "./deps.ts";
import { placeBid } from "./place-bid.ts";
import { inRounds } from "./rounds.ts";

/** A bid command takes up to ten seconds, and one slow claim must not hold up the next ones. */
const maxCommandsAtOnce = 8;

/** Without a command a bid is one call of Redis, and many travel together. */
const maxBidsAtOnce = 500;

/** Claims and their targets are read together; payloads of 16 MiB bound how many. */
const maxReadAtOnce = 32;

/** Announced claims whose artefacts are remembered until the grant comes. */
const maxTargets = 1_000;

export class ClaimWatcher {
  readonly #deps: Deps;
  readonly #bids: Bounded;
  readonly #inHand = new Set<ClaimId>();
  readonly #targets = new RecentMap<ClaimId, ArtefactId>(maxTargets);

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#bids = new Bounded(() => (deps.registration.current.bid_command === undefined ? maxBidsAtOnce : maxCommandsAtOnce));
  }

  /** Claims whose bids are being decided or placed right now. */
  get inHand(): readonly ClaimId[] {
    return [...this.#inHand];
  }

  /** The artefact that a recently announced claim is about. */
  targetOf(claim: ClaimId): ArtefactId | undefined {
    return this.#targets.get(claim);
  }

  /** Until `stop`: bids on the open claims it finds, then on each one as it is announced. Resolves when no bid is under way. */
  async run(stop: AbortSignal): Promise<void> {
    const { board, log, watch } = this.#deps;
    await inRounds({ board, log, watch: watch.watcher }, stop, async (signal) => {
      // What was known of the agent itself may be stale as well.
      await this.#deps.registration.refresh(board);
      // The end is noted first: what is announced while the open claims are read is heard of twice rather than never.
      const end = await board.endOfAnnouncements();
      await this.tick(await board.listOpenClaims(), stop);
      for await (const announced of board.followAnnouncements(end, signal)) await this.hear(announced, stop);
    });
    await this.#bids.settled();
  }

  /** Begins the bids on announced claims: an announcement tells all that rules look at, so nothing is read. Resolves when the last one has begun. */
  async hear(announced: readonly Announcement[], stop: AbortSignal): Promise<void> {
    const own = this.#deps.registration.current.name;
    for (const { claim, artefact_id, missing, ...subject } of announced) {
      if (stop.aborted) break;
      this.#targets.set(claim, artefact_id);
      const isAsked = missing === undefined || missing.includes(own);
      if (isAsked && !this.#inHand.has(claim)) await this.#begin({ id: claim, artefact_id }, subject, stop);
    }
    this.#restIfDone();
  }

  /** Begins the bids that are missing on these claims; resolves when the last one has begun. */
  async tick(claims: readonly ClaimId[], stop: AbortSignal): Promise<void> {
    const fresh = [...new Set(claims)].filter((claim) => !this.#inHand.has(claim));
    for (let from = 0; from < fresh.length && !stop.aborted; from += maxReadAtOnce) {
      this.#deps.watch.watcher.turn();
      await this.#bidOn(fresh.slice(from, from + maxReadAtOnce), stop);
    }
    this.#restIfDone();
  }

  async #bidOn(ids: ClaimId[], stop: AbortSignal): Promise<void> {
    const { board } = this.#deps;
    const owed = (await board.readClaims(ids)).filter((snapshot) => this.#owesBid(snapshot)).map(({ claim }) => claim);
    if (owed.length === 0) return;
    const targetById = await this.#readTargets([...new Set(owed.map((claim) => claim.artefact_id))]);
    for (const claim of owed) await this.#begin(claim, targetById.get(claim.artefact_id), stop);
  }

  async #begin(claim: Pick<Claim, "id" | "artefact_id">, subject: BidSubject | undefined, stop: AbortSignal): Promise<void> {
    this.#deps.watch.watcher.turn();
    this.#inHand.add(claim.id);
    await this.#bids.start(async () => {
      try {
        await placeBid(this.#deps, { claim, subject }, stop);
      } finally {
        this.#inHand.delete(claim.id);
        this.#restIfDone();
      }
    });
  }

  /** One that cannot be read (somebody changed it by hand) must not keep the agent from bidding on the others. */
  async #readTargets(ids: ArtefactId[]): Promise<Map<ArtefactId, BidSubject>> {
    const { board, log } = this.#deps;
    try {
      return new Map((await board.readHeads(ids)).map(({ head }) => [head.id, head]));
    } catch (error) {
      if (isAway(error)) throw error;
      if (ids.length > 1)
        return new Map((await Promise.all(ids.map((id) => this.#readTargets([id])))).flatMap((found) => [...found]));
      log.error("The artefact of a claim cannot be read", { artefact_id: ids[0], error: messageOf(error) });
      return new Map();
    }
  }

  #owesBid({ claim }: ClaimSnapshot): boolean {
    const own = this.#deps.registration.current.name;
    return claim.bidding === "open" && missingBidders(claim).includes(own);
  }

  #restIfDone(): void {
    if (this.#inHand.size === 0) this.#deps.watch.watcher.rest();
    else this.#deps.watch.watcher.turn();
  }
}
