// Agents without a container: external agents, people and built-in agents. They send no heartbeat.
import type { AgentRegistration } from "../../model/agent.ts";

type Known = Pick<AgentRegistration, "name" | "external" | "human" | "built_in">;

/** Undefined for an agent with a container. */
export function kindOf({
  external,
  human,
}: Omit<Known, "name" | "built_in">): "external" | "person" | undefined {
  if (human) return "person";
  return external ? "external" : undefined;
}

/** `coder`, `approver (external)`, `maintainer (person)`, `pull-request (built in)`. */
export function nameWithKind(agent: Known): string {
  const kind = agent.built_in === undefined ? kindOf(agent) : "built in";
  return kind === undefined ? agent.name : `${agent.name} (${kind})`;
}
