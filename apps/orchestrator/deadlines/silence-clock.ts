// For how long an agent has given no sign of life: by a clock that cannot be set, from the first
// check on.
import type { AgentStatus } from "../../../lib/model/agent.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

export class SilenceClock {
  /** The last heartbeat's time by the agent's own clock, and when it was first seen here. */
  readonly #lastSigns = new Map<AgentName, { at: number | undefined; sinceMs: number }>();

  /** Milliseconds since the agent's last heartbeat, `status`, was first seen. */
  silentForMs(agent: AgentName, status: AgentStatus | undefined, nowMs: number): number {
    const known = this.#lastSigns.get(agent);
    if (known !== undefined && known.at === status?.at) return nowMs - known.sinceMs;
    this.#lastSigns.set(agent, { at: status?.at, sinceMs: nowMs });
    return 0;
  }
}
