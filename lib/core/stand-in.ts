// Who takes the place of the agent that made something, where that one is gone or cannot answer: another agent of its role.
import type { RegisteredAgent } from "../model/agent.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";

/** Whose place it is: as the artefact says, whoever may be registered by now. */
export type Maker = { produced_by_role: string; produced_by_agent: string };

export const isNotRegistered = "It is not registered any more.";

/** In the order of the alphabet, so that everybody who looks finds the same. */
export function standInsFor(maker: Maker, agents: readonly RegisteredAgent[]): AgentName[] {
  return agents
    .filter((agent) => agent.role === maker.produced_by_role && agent.name !== maker.produced_by_agent && hasTool(agent))
    .map(({ name }) => name)
    .toSorted();
}

/** Who takes part by hand has none, and of whom nothing can be read nothing is known. */
export function hasTool({ external, human, unreadable }: RegisteredAgent): boolean {
  return external !== true && human !== true && unreadable === undefined;
}

/** The cause of the claim that hands on what ended with this Failure. */
export function causeOfStandIn(failure: ArtefactId): string {
  return `stand-in:${failure}`;
}

export function isStandIn(cause: string): boolean {
  return cause.startsWith("stand-in:");
}
