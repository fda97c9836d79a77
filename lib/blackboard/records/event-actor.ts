// Whose words an event is, where its writer does not say so itself.
import type { Actor } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";

export function leaderOf(epoch: number): Actor {
  return `orchestrator:${epoch}`;
}

/** An agent, and where it runs, if that is known. */
export function agentAt(agent: AgentName, host: string | undefined): Actor {
  return `agent:${agent}${host === undefined ? "" : `@${host}`}`;
}
