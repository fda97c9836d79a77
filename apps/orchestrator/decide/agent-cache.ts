// The registered agents, kept in memory until the log or a reconnect says that they may have
// changed.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";

export class AgentCache {
  #agents: Promise<RegisteredAgent[]> | undefined;
  readonly #board: Pick<LeaderBlackboard, "listAgents">;
  readonly #log: JsonLog;
  /** Lines that were logged about registrations that cannot be read. */
  #problems = new Map<AgentName, string>();

  constructor({ board, log }: { board: Pick<LeaderBlackboard, "listAgents">; log: JsonLog }) {
    this.#board = board;
    this.#log = log;
  }

  list(): Promise<RegisteredAgent[]> {
    if (this.#agents === undefined) {
      const reading = this.#board.listAgents();
      this.#agents = reading;
      reading.then(
        (agents) => this.#logUnreadable(agents),
        // A failed read must not be remembered.
        () => {
          if (this.#agents === reading) this.#agents = undefined;
        },
      );
    }
    return this.#agents;
  }

  forget(): void {
    this.#agents = undefined;
  }

  #logUnreadable(agents: readonly RegisteredAgent[]): void {
    const problems = new Map(
      agents.flatMap(({ name, unreadable }) => (unreadable ? [[name, unreadable.problem]] : [])),
    );
    for (const [agent, problem] of problems)
      if (this.#problems.get(agent) !== problem)
        this.#log.error("An agent's registration cannot be read; its bids and grants wait", {
          agent,
          problem,
        });
    this.#problems = problems;
  }
}
