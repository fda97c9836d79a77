// For how long nothing has been heard of agents: by a clock that nobody sets, from the first look on.
import type { AgentStatus } from "../../lib/model/agent.ts";
import type { AgentName } from "../../lib/model/ids.ts";

export class Silence {
  /** The last sign of life, by the agent's own clock, and when it was first seen here. */
  readonly #heard = new Map<AgentName, { at: number | undefined; sinceMs: number }>();

  /** Milliseconds since the agent's last sign of life was first seen. `status`: the one that it has given last. */
  look(agent: AgentName, status: AgentStatus | undefined, nowMs: number): number {
    const known = this.#heard.get(agent);
    if (known !== undefined && known.at === status?.at) return nowMs - known.sinceMs;
    this.#heard.set(agent, { at: status?.at, sinceMs: nowMs });
    return 0;
  }
}
