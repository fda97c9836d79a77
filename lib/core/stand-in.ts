// The stand-ins for the agent that made an artefact, where that agent is not registered any more or
// cannot answer: other agents of its role.
import type { RegisteredAgent } from "../model/agent.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";

/** The producer as the artefact names it, registered or not. */
export type Producer = { produced_by_role: string; produced_by_agent: string };

export const isNotRegistered = "It is not registered any more.";

/** They are in alphabetical order, so that every reader finds the same one. */
export function standInsFor(producer: Producer, agents: readonly RegisteredAgent[]): AgentName[] {
  return agents
    .filter(
      (agent) =>
        agent.role === producer.produced_by_role &&
        agent.name !== producer.produced_by_agent &&
        hasTool(agent),
    )
    .map(({ name }) => name)
    .toSorted();
}

/** False for an agent that takes part by hand, and for one whose registration cannot be read. */
export function hasTool({ external, human, unreadable }: RegisteredAgent): boolean {
  return external !== true && human !== true && unreadable === undefined;
}

/** True of an agent with a container that `sett up` has started. */
export function sendsHeartbeat(agent: RegisteredAgent): boolean {
  return hasTool(agent) && agent.on_demand !== true;
}

/** The cause of the claim in which a stand-in does the work that ended with this Failure. */
export function causeOfStandIn(failure: ArtefactId): string {
  return `stand-in:${failure}`;
}

export function isStandIn(cause: string): boolean {
  return cause.startsWith("stand-in:");
}
