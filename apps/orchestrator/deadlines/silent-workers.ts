// Which queued work another agent takes over, because its agent gives no sign of life, or is at
// other work.

import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import { sendsHeartbeat } from "../../../lib/core/stand-in.ts";
import type { AgentStatus, RegisteredAgent } from "../../../lib/model/agent.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import { silentAfterMs } from "../../../lib/model/leases.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { AgentPresence } from "../decide/presence.ts";
import type { Deps } from "../leader/deps.ts";
import { SilenceClock } from "./silence-clock.ts";

/** How many claims of a silent agent are looked at in one call; the next call goes on. */
const claimsAtOnce = 100;

/**
 * A queued grant that has not begun for so long may move to another agent. It loses nothing by
 * that.
 */
const moveAfterMs = silentAfterMs;

type SilenceDeps = Pick<Deps, "board" | "clock" | "policy">;

export class SilentWorkers {
  readonly #deps: SilenceDeps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #presence: AgentPresence;
  readonly #silence = new SilenceClock();
  /** Where the next look at a silent agent's claims begins. */
  readonly #places = new Map<AgentName, number>();

  constructor(
    deps: SilenceDeps,
    handlers: { agentCache: AgentCache; decider: Decider; presence: AgentPresence },
  ) {
    this.#deps = deps;
    this.#agentCache = handlers.agentCache;
    this.#decider = handlers.decider;
    this.#presence = handlers.presence;
  }

  /**
   * Decides about the work of agents that have been silent for longer than is tolerated.
   * `mayJudge`: contact has lasted so long that an agent has had its chance.
   */
  async runOnce(mayJudge: boolean): Promise<void> {
    const { clock, policy } = this.#deps;
    const board = this.#deps.board.asOf();
    const toleratedMs = Math.max(policy.bid_deadline_ms, silentAfterMs);
    const [agents, statuses] = [await this.#agentCache.list(), await board.listStatuses()];
    const silentFor = new Map<AgentName, number>();
    for (const { name } of agents.filter(sendsHeartbeat)) {
      const forMs = this.#silence.silentForMs(name, statuses.get(name), clock.passedMs());
      silentFor.set(name, mayJudge ? forMs : 0);
    }
    this.#presence.silent = new Set(
      agents.flatMap((agent) => {
        const isSilent =
          (silentFor.get(agent.name) ?? 0) >= silentAfterMs ||
          takesNoWork(statuses.get(agent.name));
        return sendsHeartbeat(agent) && isSilent ? [agent.name] : [];
      }),
    );
    await this.#moveWaiting(agents, board);
    for (const [name, forMs] of silentFor) {
      if (forMs >= toleratedMs) await this.#takeOver(name, forMs);
      else this.#places.delete(name);
    }
  }

  /** Grants of several agents with equal bids. */
  async #moveWaiting(agents: readonly RegisteredAgent[], board: BoardAsOf): Promise<void> {
    const waiting = new Map(
      this.#presence
        .waiting(agents, moveAfterMs, claimsAtOnce)
        .map(({ claim, ...rest }) => [claim, rest] as const),
    );
    const eventFor = (claim: ClaimId): ClaimEvent => {
      const found = waiting.get(claim);
      return found === undefined ? { kind: "progress" } : { kind: "grant_waits", ...found };
    };
    await this.#decider.decideEach([...waiting.keys()], eventFor, board);
  }

  async #takeOver(agent: AgentName, forMs: number): Promise<void> {
    const claims = await this.#deps.board.listClaimsOf(agent, "work");
    const known = this.#places.get(agent) ?? 0;
    const from = known < claims.length ? known : 0;
    const some = claims.slice(from, from + claimsAtOnce);
    this.#places.set(agent, from + claimsAtOnce);
    const board = this.#deps.board.asOf();
    const stored = new Map<ClaimId, ClaimSnapshot>();
    for (const snapshot of await board.readClaims(some))
      if (mayBeTakenOver(snapshot, agent)) stored.set(snapshot.claim.id, snapshot);
    const event: ClaimEvent = { kind: "agent_silent", agent, forMs };
    await this.#decider.decideEach([...stored.keys()], () => event, board, stored);
  }
}

/** It is alive, and does not begin what it is granted. */
function takesNoWork(status: AgentStatus | undefined): boolean {
  return ["no_secrets", "unconfined", "stopping"].includes(status?.state ?? "");
}

/** Work that the agent has not begun, and that need not be its own. */
function mayBeTakenOver({ claim, grants }: ClaimSnapshot, agent: AgentName): boolean {
  if (claim.kind !== "rework" && claim.kind !== "clarification") return false;
  return grants.some((grant) => grant.agent === agent && grant.state === "queued");
}
