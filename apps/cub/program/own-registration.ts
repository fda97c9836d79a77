// Holds what the blackboard says about this agent: its rules, its limits, what it may do.
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

/** Read at the start and again after each reconnect. */
export class OwnRegistration {
  #current: AgentRegistration;

  constructor(current: AgentRegistration) {
    this.#current = current;
  }

  get current(): AgentRegistration {
    return this.#current;
  }

  /**
   * Reads it again: changes by `sett up` take effect here. An agent that was removed, or whose
   * registration is unreadable, keeps the last one.
   */
  async refresh(board: AgentBlackboard): Promise<void> {
    const found = await board.findAgent(this.#current.name);
    if (found !== undefined && found.unreadable === undefined) this.#current = found;
  }
}

/**
 * The registration on the blackboard. An agent that was started without `sett up` registers itself,
 * from its environment and the defaults of sett.yml. Throws `environment-invalid` where the
 * registration is unreadable: the agent must not work under wrong limits.
 */
export async function loadOwnRegistration(
  board: AgentBlackboard,
  settings: OwnSettings,
): Promise<OwnRegistration> {
  const found = await board.findAgent(settings.agentName);
  if (found?.unreadable !== undefined) {
    throw new SettError(
      "environment-invalid",
      `The registration of agent ${found.name} cannot be read: ${found.unreadable.problem}.`,
      {
        hint: "A newer version of Sett may have written it. Run `sett up`: it brings agents and registrations to one version.",
      },
    );
  }
  if (found !== undefined) return new OwnRegistration(found);
  const own = registrationFromEnvironment(settings);
  await board.registerAgents([own], `agent:${own.name}`, { exact: false });
  return new OwnRegistration((await board.findAgent(own.name)) ?? own);
}

type OwnSettings = Pick<AgentRegistration, "role" | "replicas" | "strategy"> & {
  agentName: AgentName;
  bidCommand: readonly string[] | undefined;
  promptClaim: string | undefined;
  model: unknown;
};

function registrationFromEnvironment(settings: OwnSettings): AgentRegistration {
  const { agentName, role, replicas, strategy, bidCommand, promptClaim = "", model } = settings;
  const isDecidedByPrompt = bidCommand === undefined && promptClaim !== "";
  return {
    name: agentName,
    role,
    replicas,
    strategy,
    // Its prompt would decide, and without a model there is nothing to read it.
    bids: isDecidedByPrompt && model === undefined ? [{ on: "*", bid: "ignore" }] : [],
    ...(bidCommand !== undefined ? { bids_by_command: true } : {}),
    ...(isDecidedByPrompt && model !== undefined ? { asks_model: true } : {}),
    on_missing_bid: "wait",
    workspace_mode: "ro",
    timeout_ms: 5 * 60_000,
    retries: 0,
    image: "",
  };
}
