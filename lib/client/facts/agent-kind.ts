// Agents without a container of their own: external agents, people, built-in agents, and those that
// are on demand. They send no heartbeat.
import type { AgentRegistration } from "../../model/agent.ts";

type Known = Pick<AgentRegistration, "name" | "external" | "human" | "built_in" | "on_demand">;

/** Undefined for an agent with a container. */
export function kindOf({
  external,
  human,
  on_demand,
}: Omit<Known, "name" | "built_in">): "external" | "person" | "on_demand" | undefined {
  if (human) return "person";
  if (on_demand) return "on_demand";
  return external ? "external" : undefined;
}

/**
 * `coder`, `approver (external)`, `maintainer (person)`, `pull-request (built in)`, `packer (on
 * demand)`.
 */
export function nameWithKind(agent: Known): string {
  const kind = agent.built_in === undefined ? kindOf(agent) : "built in";
  return kind === undefined ? agent.name : `${agent.name} (${kind.replace("_", " ")})`;
}
