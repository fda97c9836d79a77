// Agents without a container: external agents and people. They send no heartbeat.
import type { AgentRegistration } from "../../model/agent.ts";

type Known = Pick<AgentRegistration, "name" | "external" | "human">;

/** Undefined for an agent with a container. */
export function kindOf({
  external,
  human,
}: Omit<Known, "name">): "external" | "person" | undefined {
  if (human) return "person";
  return external ? "external" : undefined;
}

/** `coder`, `approver (external)`, `maintainer (person)`. */
export function nameWithKind(agent: Known): string {
  const kind = kindOf(agent);
  return kind === undefined ? agent.name : `${agent.name} (${kind})`;
}
