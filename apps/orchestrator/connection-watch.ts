// Keeps one agent from taking all connections that Redis has (docs/internals/blackboard.md#connections).
import type { EndedConnections } from "../../lib/blackboard/leader-port.ts";
import type { Deps } from "./deps.ts";

/** An agent with 100 workers has about 100, and twice as many while all of them connect again. Redis takes 10 000 of all users. */
const maxConnections = 500;
/** A user that had too many again within this time is still at it: one flood is one event. */
const calmAfterMs = 60_000;

export class ConnectionWatch {
  readonly #deps: Deps;
  /** While there are no more than so many and the limit, no user has too many. */
  #sound = 0;
  /** When a user had too many last. */
  readonly #lastSeen = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks at whose they are only where there are so many more than before that one user may have too many. */
  async tick(): Promise<void> {
    const { board } = this.#deps;
    const count = await board.countConnections();
    this.#sound = Math.min(this.#sound, count);
    if (count - this.#sound <= maxConnections) return;
    const { ended, most } = await board.endConnections(maxConnections);
    const left = ended.reduce((sum, { connections }) => sum - connections, count);
    // The user with the most may soon have more: a flood is seen while it grows.
    this.#sound = Math.max(0, left - most);
    for (const flood of ended) await this.#record(flood);
  }

  async #record({ user, agent, connections }: EndedConnections): Promise<void> {
    const { board, clock, log } = this.#deps;
    const nowMs = clock.passedMs();
    if (nowMs - (this.#lastSeen.get(user) ?? Number.NEGATIVE_INFINITY) >= calmAfterMs) {
      const data = { user, connections, limit: maxConnections };
      log.warn("Ended the connections of a user of Redis that had too many", data);
      await board.logAsLeader({ type: "connections_ended", ...(agent && { agent }), data });
    }
    this.#lastSeen.set(user, nowMs);
  }
}
