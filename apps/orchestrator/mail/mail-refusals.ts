// Refused messages on record: each agent's at once, and then no more often than a log can bear,
// which is never trimmed.
import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";

/** Between two events about messages that an agent may send without end. */
const everyMs = 10_000;
/**
 * Each result that is refused is an event of its own. An agent of 100 workers whose goal was
 * cancelled sends as many at once.
 */
const maxResults = 100;
const resultsEveryMs = 60_000;

type RefusalDeps = Pick<Deps, "clock" | "log">;

export class MailRefusals {
  readonly #deps: RefusalDeps;
  readonly #last = new Map<AgentName, { atMs: number; since: number }>();
  readonly #results = new Map<AgentName, { fromMs: number; count: number }>();

  constructor(deps: RefusalDeps) {
    this.#deps = deps;
  }

  /**
   * Those between two that are recorded are counted. `board`: as of the connection on which the
   * message was read.
   */
  async record(agent: AgentName, reason: string, board: BoardAsOf): Promise<void> {
    const { clock, log } = this.#deps;
    const last = this.#last.get(agent);
    const nowMs = clock.passedMs();
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.since += 1;
      return;
    }
    const count = (last?.since ?? 0) + 1;
    await board.logAsLeader({ type: "mail_refused", agent, data: { reason, count } });
    this.#last.set(agent, { atMs: nowMs, since: 0 });
    log.warn("Refused what an agent has sent", { agent, reason, count });
  }

  hasTooManyResults(agent: AgentName): boolean {
    const known = this.#results.get(agent);
    return (
      known !== undefined &&
      known.count >= maxResults &&
      this.#deps.clock.passedMs() - known.fromMs < resultsEveryMs
    );
  }

  countResult(agent: AgentName): void {
    const nowMs = this.#deps.clock.passedMs();
    const known = this.#results.get(agent);
    if (known !== undefined && nowMs - known.fromMs < resultsEveryMs) known.count += 1;
    else this.#results.set(agent, { fromMs: nowMs, count: 1 });
  }
}
