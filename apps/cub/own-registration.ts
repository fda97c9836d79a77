// What the blackboard says about this agent: its rules, its limits, what it may do.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import { SettError } from "../../lib/model/errors.ts";
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

  /** Reads it again; what `sett up` wrote meanwhile counts from here. An agent that was removed, or cannot read its own, keeps its last one. */
  async refresh(board: Blackboard): Promise<void> {
    const found = await board.findAgent(this.#current.name);
    if (found !== undefined && found.unreadable === undefined) this.#current = found;
  }
}

/**
 * The registration on the blackboard; an agent started alone registers itself, from its environment and the defaults of sett.yml. Throws
 * `environment-invalid` where it cannot be read: to work by other limits than its own would be worse than not to.
 */
export async function loadOwnRegistration(board: Blackboard, settings: OwnSettings): Promise<OwnRegistration> {
  const found = await board.findAgent(settings.agentName);
  if (found?.unreadable !== undefined) {
    throw new SettError(
      "environment-invalid",
      `The registration of agent ${found.name} cannot be read: ${found.unreadable.problem}.`,
      {
        hint: "A newer Sett may have written it: `sett up` brings agents and registrations to one version.",
      },
    );
  }
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
