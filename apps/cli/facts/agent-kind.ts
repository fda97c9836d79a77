// What sets some agents apart: nothing is started for them, and no sign of life is to be expected.
import type { AgentRegistration } from "../../../lib/model/agent.ts";

type Known = Pick<AgentRegistration, "name" | "external" | "human">;

/** Undefined for an agent that is started. */
export function kindOf({ external, human }: Omit<Known, "name">): "external" | "person" | undefined {
  if (human) return "person";
  return external ? "external" : undefined;
}

/** `coder`, `approver (external)`, `maintainer (person)`. */
export function nameWithKind(agent: Known): string {
  const kind = kindOf(agent);
  return kind === undefined ? agent.name : `${agent.name} (${kind})`;
}
