// Whose bids are no longer waited for: of the agents that are asked, one whose heartbeat has
// stopped (docs/internals/claims.md#bids).

import { Doorbell } from "../../../lib/async/doorbell.ts";
import { sendsHeartbeat } from "../../../lib/core/stand-in.ts";
import { missingBidders } from "../../../lib/model/claim.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import { silentAfterMs } from "../../../lib/model/leases.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { KnownClaims } from "../decide/known-claims.ts";
import type { Deps } from "../leader/deps.ts";
import { restMs } from "../leader/loops.ts";
import type { ContactClock } from "./contact-clock.ts";
import { SilenceClock } from "./silence-clock.ts";

/** The rest while a claim is watched. */
const lookEveryMs = 1_000;

/** The bid deadline serves those beyond these. */
const maxClaims = 1_000;

type Parts = {
  agentCache: AgentCache;
  known: KnownClaims;
  decider: Decider;
  contact: ContactClock;
};

export class SilentBidders {
  readonly #deps: Deps;
  readonly #parts: Parts;
  readonly #watched = new Set<ClaimId>();
  /** Rings where there is a claim to be watched. */
  readonly bell = new Doorbell();
  #silence = new SilenceClock();

  constructor(deps: Deps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  /** A claim on which agents are asked to bid. */
  watch(claim: ClaimId): void {
    if (this.#watched.size < maxClaims) this.#watched.add(claim);
    this.bell.ring();
  }

  /**
   * Decides about each claim that waits for an agent without a heartbeat, once. Milliseconds after
   * which to look again.
   */
  async runOnce(): Promise<number> {
    await this.#judge();
    return this.#watched.size > 0 ? lookEveryMs : restMs;
  }

  async #judge(): Promise<void> {
    const { clock } = this.#deps;
    const { decider, contact } = this.#parts;
    const board = this.#deps.board.asOf();
    const waiting = await this.#waiting();
    if (waiting.size === 0) {
      // What was seen before the pause says nothing about it.
      this.#silence = new SilenceClock();
      return;
    }
    const statuses = await board.listStatuses();
    const nowMs = clock.passedMs();
    const silent = [...new Set([...waiting.values()].flat())].filter(
      (agent) => this.#silence.silentForMs(agent, statuses.get(agent), nowMs) >= silentAfterMs,
    );
    if (silent.length === 0 || !contact.hasLasted(silentAfterMs)) return;
    const stopped = [...waiting]
      .filter(([, agents]) => agents.some((agent) => silent.includes(agent)))
      .map(([claim]) => claim);
    for (const claim of stopped) this.#watched.delete(claim);
    await decider.decideEach(stopped, () => ({ kind: "bidders_silent", agents: silent }), board);
  }

  /**
   * The agents that the watched claims still wait for, and that send heartbeats. A claim that waits
   * for none is not watched any more.
   */
  async #waiting(): Promise<Map<ClaimId, AgentName[]>> {
    const waiting = new Map<ClaimId, AgentName[]>();
    if (this.#watched.size === 0) return waiting;
    const agents = await this.#parts.agentCache.list();
    const beating = new Set(agents.filter(sendsHeartbeat).map(({ name }) => name));
    const claims = [...this.#watched];
    const unknown = claims.filter((id) => this.#parts.known.get(id) === undefined);
    const read = await this.#deps.board.readClaims(unknown);
    const snapshots = [...claims.flatMap((id) => this.#parts.known.get(id) ?? []), ...read];
    for (const { claim } of snapshots) {
      const missing =
        claim.bidding === "open" ? missingBidders(claim).filter((agent) => beating.has(agent)) : [];
      if (missing.length > 0) waiting.set(claim.id, missing);
    }
    for (const id of claims) if (!waiting.has(id)) this.#watched.delete(id);
    return waiting;
  }
}
