// Decides which of several agents that have bid `exclusive` gets the work, and when it moves from
// one to another (docs/internals/claims.md#equal-bids).
import type { RegisteredAgent } from "../model/agent.ts";
import { type Grant, wasMoved } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import type { DecisionInput } from "./claim-decision.ts";
import type { Draft } from "./claim-draft.ts";
import type { Rivals } from "./presence.ts";
import { hasTool } from "./stand-in.ts";

type Known = Pick<DecisionInput, "agents" | "presence"> & { grants: readonly Grant[] };

export function rivalsAmong(bidders: readonly AgentName[], known: Known): Rivals {
  const rivals: Rivals = { idle: [], busy: [], silent: [] };
  for (const agent of bidders) {
    const before = workBefore(agent, known);
    if (before === undefined) rivals.silent.push(agent);
    else if (before === 0) rivals.idle.push(agent);
    else rivals.busy.push({ agent, before });
  }
  return rivals;
}

/**
 * The first that is alive and idle; without one the first of those that are alive and have the
 * least to do; else the first.
 */
export function chosenAmong({ idle, busy, silent }: Rivals): AgentName | undefined {
  const least = Math.min(...busy.map(({ before }) => before));
  return idle[0] ?? busy.find(({ before }) => before === least)?.agent ?? silent[0];
}

/**
 * Hands a grant that has not begun to another agent that has bid the same and is idle, where its
 * own agent is silent or busy. A grant that continues a dialogue stays with the agent that has
 * asked.
 */
export function moveGrant(draft: Draft, agent: AgentName, forMs: number): void {
  const { claim, grants, input } = draft;
  const grant = grants.find((one) => one.agent === agent);
  const isToBegin =
    grant?.state === "queued" && grant.phase === "exclusive" && grant.dialogue === undefined;
  if (!isToBegin || input.isPaused || !isReplaceable(input.agents, agent)) return;
  const bidders = claim.bids.filter(({ word }) => word === "exclusive").map((bid) => bid.agent);
  const rivals = rivalsAmong(bidders, { ...input, grants });
  if (!bidders.includes(agent) || rivals.idle.includes(agent)) return;
  const next = rivals.idle.find(
    (name) => isReplaceable(input.agents, name) && isFreeOf(name, grants),
  );
  if (next === undefined) return;
  const is = rivals.silent.includes(agent)
    ? "gives no sign of life, or takes no work"
    : "is at other work";
  const reason = `${agent} has not begun for ${Math.round(forMs / 1_000)} s and ${is}.`;
  draft.moveGrant(grant, next, { rivals, reason });
}

/** An agent that takes part by hand decides itself when it begins, and gives no sign of life. */
function isReplaceable(agents: readonly RegisteredAgent[], name: AgentName): boolean {
  const registration = agents.find((agent) => agent.name === name);
  return registration !== undefined && hasTool(registration);
}

/** It has no grant of this claim, or one that was moved from it. */
function isFreeOf(agent: AgentName, grants: readonly Grant[]): boolean {
  return grants.every((grant) => grant.agent !== agent || wasMoved(grant));
}

/**
 * How many grants each of its workers has to end before another one; undefined for an agent that is
 * silent.
 */
function workBefore(agent: AgentName, { agents, presence, grants }: Known): number | undefined {
  const registration = agents.find(({ name }) => name === agent);
  // Nothing can be granted to an agent that is removed, or whose registration cannot be read.
  if (
    registration === undefined ||
    registration.unreadable !== undefined ||
    presence.silent.has(agent)
  )
    return undefined;
  const hasOwn = grants.some(
    (grant) => grant.agent === agent && (grant.state === "queued" || grant.state === "running"),
  );
  const others = (presence.atWork.get(agent) ?? 0) - (hasOwn ? 1 : 0);
  return Math.max(0, Math.floor(others / registration.replicas));
}
