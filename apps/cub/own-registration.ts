// What the blackboard says about this agent: its rules, its limits, what it may do.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Settings } from "./settings.ts";

/** Kept from start to reconnect, then read again. */
export class OwnRegistration {
  #current: AgentRegistration;

  constructor(current: AgentRegistration) {
    this.#current = current;
  }

  get current(): AgentRegistration {
    return this.#current;
  }

  /** Reads it again; what `sett up` wrote meanwhile counts from here. An agent that was removed keeps its last one. */
  async refresh(board: Blackboard): Promise<void> {
    this.#current = (await board.findAgent(this.#current.name)) ?? this.#current;
  }
}

/** The registration on the blackboard; an agent started alone registers itself, from its environment and the defaults of sett.yml. */
export async function loadOwnRegistration(board: Blackboard, settings: OwnSettings): Promise<OwnRegistration> {
  const found = await board.findAgent(settings.agentName);
  if (found !== undefined) return new OwnRegistration(found);
  const own = registrationFromEnvironment(settings);
  await board.registerAgents([own], `agent:${own.name}`, { exact: false });
  return new OwnRegistration((await board.findAgent(own.name)) ?? own);
}

type OwnSettings = Pick<Settings, "agentName" | "role" | "replicas" | "strategy">;

function registrationFromEnvironment({ agentName, role, replicas, strategy }: OwnSettings): AgentRegistration {
  return {
    name: agentName,
    role,
    replicas,
    strategy,
    bids: [],
    on_missing_bid: "wait",
    workspace_mode: "ro",
    timeout_ms: 5 * 60_000,
    retries: 0,
    image: "",
  };
}
