// Whose words an event of the orchestrator's writes is.
import type { Actor, EventDraft } from "../model/event.ts";
import type { AgentName } from "../model/ids.ts";

/** A bid that was given in advance is its agent's own, although the orchestrator places it. */
export function actorOf({ type, agent, data }: EventDraft, epoch: number): Actor {
  return type === "bid_placed" && agent !== undefined && data?.standing === true ? `agent:${agent}` : `orchestrator:${epoch}`;
}

/** An agent, and where it runs, if that is known. */
export function agentAt(agent: AgentName, host: string | undefined): Actor {
  return `agent:${agent}${host === undefined ? "" : `@${host}`}`;
}
