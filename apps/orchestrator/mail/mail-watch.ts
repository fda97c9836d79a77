// Keeps one agent from filling Redis with its mail (docs/internals/blackboard.md#connections).
import type { DroppedMail } from "../../../lib/blackboard/port/mail-port.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";

/** By `maxmemory`: from where on mail is looked at, and how much of it one agent may have then. */
const fullShare = 0.8;
const mailShare = 0.1;
/** An agent whose mail grows again within this time is still at it: one flood is one event. */
const calmAfterMs = 60_000;

export class MailWatch {
  readonly #deps: Deps;
  /** When an agent had too much last. */
  readonly #lastSeen = new Map<AgentName, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async runOnce(): Promise<void> {
    const { board } = this.#deps;
    const { usedBytes, limitBytes } = await board.readMemory();
    if (limitBytes === undefined || usedBytes < fullShare * limitBytes) return;
    for (const dropped of await board.dropMail(Math.floor(mailShare * limitBytes)))
      await this.#record(dropped);
  }

  async #record({ agent, messages, bytes }: DroppedMail): Promise<void> {
    const { board, clock, log } = this.#deps;
    const nowMs = clock.passedMs();
    if (nowMs - (this.#lastSeen.get(agent) ?? Number.NEGATIVE_INFINITY) >= calmAfterMs) {
      log.warn("Dropped an agent's mail, which filled the memory of Redis", {
        agent,
        messages,
        bytes,
      });
      await board.logAsLeader({ type: "mail_dropped", agent, data: { messages, bytes } });
    }
    this.#lastSeen.set(agent, nowMs);
  }
}
