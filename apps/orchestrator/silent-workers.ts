// Which queued work another agent takes over, because its agent gives no sign of life.

import type { ClaimEvent } from "../../lib/core/claim-decision.ts";
import type { ClaimSnapshot } from "../../lib/model/claim.ts";
import type { AgentName, ClaimId } from "../../lib/model/ids.ts";
import { silentAfterMs } from "../../lib/model/leases.ts";
import type { AgentCache } from "./agent-cache.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { Deps } from "./deps.ts";
import { SilenceClock } from "./silence-clock.ts";

/** How many claims of a silent agent are looked at in one call; the next call goes on. */
const claimsAtOnce = 100;

type SilenceDeps = Pick<Deps, "board" | "clock" | "policy">;

export class SilentWorkers {
  readonly #deps: SilenceDeps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #silence = new SilenceClock();
  /** Where the next look at a silent agent's claims begins. */
  readonly #places = new Map<AgentName, number>();

  constructor(deps: SilenceDeps, handlers: { agentCache: AgentCache; decider: Decider }) {
    this.#deps = deps;
    this.#agentCache = handlers.agentCache;
    this.#decider = handlers.decider;
  }

  /**
   * Decides about the work of agents that have been silent for longer than is tolerated. `mayJudge`: contact has lasted so long that an
   * agent has had its chance.
   */
  async tick(mayJudge: boolean): Promise<void> {
    const { board, clock, policy } = this.#deps;
    const toleratedMs = Math.max(policy.bid_deadline_ms, silentAfterMs);
    const [agents, statuses] = [await this.#agentCache.list(), await board.listStatuses()];
    for (const { name } of agents) {
      const forMs = this.#silence.silentForMs(name, statuses.get(name), clock.passedMs());
      if (mayJudge && forMs >= toleratedMs) await this.#takeOver(name, forMs);
      else this.#places.delete(name);
    }
  }

  async #takeOver(agent: AgentName, forMs: number): Promise<void> {
    const { board } = this.#deps;
    const claims = await board.listClaimsOf(agent, "work");
    const known = this.#places.get(agent) ?? 0;
    const from = known < claims.length ? known : 0;
    const some = claims.slice(from, from + claimsAtOnce);
    this.#places.set(agent, from + claimsAtOnce);
    const readOn = board.connectionNumber();
    const stored = new Map<ClaimId, ClaimSnapshot>();
    for (const snapshot of await board.readClaims(some))
      if (mayBeTakenOver(snapshot, agent)) stored.set(snapshot.claim.id, snapshot);
    const event: ClaimEvent = { kind: "agent_silent", agent, forMs };
    await this.#decider.decideEach([...stored.keys()], () => event, { readOn, stored });
  }
}

/** Work that the agent has not begun, and that need not be its own. */
function mayBeTakenOver({ claim, grants }: ClaimSnapshot, agent: AgentName): boolean {
  if (claim.kind !== "rework" && claim.kind !== "clarification") return false;
  return grants.some((grant) => grant.agent === agent && grant.state === "queued");
}
