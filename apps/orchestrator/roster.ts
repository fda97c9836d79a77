// The registered agents, kept in memory until the log or a reconnect says that they may have changed.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";

export class Roster {
  #agents: Promise<AgentRegistration[]> | undefined;
  readonly #board: Blackboard;

  constructor(board: Blackboard) {
    this.#board = board;
  }

  list(): Promise<AgentRegistration[]> {
    if (this.#agents === undefined) {
      const reading = this.#board.listAgents();
      this.#agents = reading;
      // A failed read must not be remembered.
      reading.catch(() => {
        if (this.#agents === reading) this.#agents = undefined;
      });
    }
    return this.#agents;
  }

  forget(): void {
    this.#agents = undefined;
  }
}
