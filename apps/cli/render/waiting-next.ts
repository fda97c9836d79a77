// Names what a person can type so that a goal goes on.
import { livenessOf, type Situation } from "../../../lib/client/facts/blocked-reason.ts";
import type { Waiting } from "../../../lib/core/goal-status.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/**
 * The command for the person for whom the goal waits, or who takes part in an agent's place;
 * undefined where there is none.
 */
export function commandFor(waiting: Waiting, situation: Situation): string | undefined {
  if (waiting.kind === "answer") return `answer ${shortId(waiting.question)} "…"`;
  if (waiting.kind === "approval") return `approve ${shortId(waiting.artefact)}`;
  if (!("agent" in waiting)) return undefined;
  const agent = situation.agents.find(({ name }) => name === waiting.agent);
  const isByHand = agent !== undefined && livenessOf(agent, situation).reason === "external";
  return isByHand ? `agent-env ${agent.name}` : undefined;
}
