// Keeps one agent from taking all connections that Redis has, or its time
// (docs/internals/blackboard.md#connections).
import type {
  EndedConnections,
  SlowCaller,
  SlowLimit,
} from "../../../lib/blackboard/port/leader.ts";
import type { Deps } from "../leader/deps.ts";

/**
 * An agent with 100 workers has about 100, and twice as many while all of them connect again. Redis
 * takes 10 000 of all users.
 */
const maxConnections = 500;
/**
 * An agent's slow commands may take so much of Redis: many of them, or a few that are long. A
 * machine with too much to do makes commands slow as well, but not so many of one agent, and not
 * for so long.
 */
const maxSlow: readonly SlowLimit[] = [
  { calls: 20, fromMs: 2, ms: 500, seconds: 2 },
  { calls: 2, fromMs: 100, ms: 1_000, seconds: 10 },
];
/** A user that had too many again within this time is still at it: one flood is one event. */
const calmAfterMs = 60_000;

export class ConnectionWatch {
  readonly #deps: Deps;
  /** While there are no more than so many and the limit, no user has too many. */
  #sound = 0;
  /** The last entry of Redis' log of slow commands that was looked at. */
  #lastSlow: number | undefined;
  /** When a user had too many last. */
  readonly #lastSeen = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async runOnce(): Promise<void> {
    await this.#endFloods();
    const { ended, last } = await this.#deps.board.endSlowCallers(this.#lastSlow, maxSlow);
    this.#lastSlow = last;
    for (const caller of ended) await this.#recordSlow(caller);
  }

  /**
   * Looks at whose they are only where there are so many more than before that one user may have
   * too many.
   */
  async #endFloods(): Promise<void> {
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
    const { board, log } = this.#deps;
    if (!this.#isNew(user)) return;
    const data = { user, connections, limit: maxConnections };
    log.warn("Ended the connections of a user of Redis that had too many", data);
    await board.logAsLeader({ type: "connections_ended", ...(agent && { agent }), data });
  }

  async #recordSlow({ user, agent, calls, ms }: SlowCaller): Promise<void> {
    const { board, log } = this.#deps;
    if (!this.#isNew(user)) return;
    const data = { user, calls, ms };
    log.warn("Ended the connections of a user of Redis that kept it busy", data);
    await board.logAsLeader({ type: "connections_ended", agent, data });
  }

  /** One flood is noted once. */
  #isNew(user: string): boolean {
    const nowMs = this.#deps.clock.passedMs();
    const isNew = nowMs - (this.#lastSeen.get(user) ?? Number.NEGATIVE_INFINITY) >= calmAfterMs;
    this.#lastSeen.set(user, nowMs);
    return isNew;
  }
}
