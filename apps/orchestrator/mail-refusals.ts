// Refused messages on record: each agent's at once, and then no more often than a log can bear.
import type { AgentName } from "../../lib/model/ids.ts";
import { type Deps, Fenced } from "./deps.ts";

/** The log is never trimmed, and an agent may send what is refused without end. */
const everyMs = 10_000;

type RefusalDeps = Pick<Deps, "board" | "clock" | "log">;

export class MailRefusals {
  readonly #deps: RefusalDeps;
  readonly #epoch: number;
  readonly #last = new Map<AgentName, { atMs: number; since: number }>();

  constructor(deps: RefusalDeps, epoch: number) {
    this.#deps = deps;
    this.#epoch = epoch;
  }

  /** Those between two that are recorded are counted. */
  async record(agent: AgentName, reason: string): Promise<void> {
    const { board, clock, log } = this.#deps;
    const last = this.#last.get(agent);
    const nowMs = clock.passedMs();
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.since += 1;
      return;
    }
    this.#last.set(agent, { atMs: nowMs, since: 0 });
    const count = (last?.since ?? 0) + 1;
    log.warn("Refused what an agent has sent", { agent, reason, count });
    const { outcome } = await board.logAsLeader({ type: "mail_refused", agent, data: { reason, count } }, this.#epoch);
    if (outcome === "fenced") throw new Fenced(this.#epoch);
  }
}
