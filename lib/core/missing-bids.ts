// Decides about the bids that are still missing at the deadline, or whose agents are silent
// (docs/internals/claims.md#bids).
import type { RegisteredAgent } from "../model/agent.ts";
import { bidAskingMs } from "../model/bid.ts";
import { missingBidders } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import type { Draft } from "./claim-draft.ts";
import { bidByRules } from "./decide-bid.ts";
import { hasTool } from "./stand-in.ts";

/**
 * A silent agent must not stop the others: its rules bid for it. An agent without rules is waited
 * for, unless its `on_missing_bid` is `ignore`. So is one that asks its model where no rule
 * matches; with `ignore` it has the time that asking may take, also where that is longer than the
 * deadline.
 */
export function imposeMissingBids(draft: Draft): void {
  if (draft.claim.bidding === "closed") return;
  const lefts: number[] = [];
  for (const agent of missingBidders(draft.claim)) {
    const registration = draft.input.agents.find(({ name }) => name === agent);
    const word =
      registration === undefined ? "ignore" : bidByRules(draft.input.target, registration);
    const leftMs = registration?.asks_model === true ? askingTimeLeftMs(draft, registration) : 0;
    if (word !== undefined) draft.bid(agent, word);
    else if (registration !== undefined && leftMs > 0) {
      if (mayMiss(registration)) lefts.push(leftMs);
    } else if (registration !== undefined && mayMiss(registration)) draft.bid(agent, "ignore");
  }
  if (lefts.length > 0) draft.writes.push({ kind: "extend_bidding", afterMs: Math.min(...lefts) });
}

/**
 * Decides as at the deadline, but for an agent that asks its model: one that gives no sign of life
 * does not ask any more.
 */
export function imposeBidsOfSilent(draft: Draft, silent: readonly AgentName[]): void {
  if (draft.claim.bidding === "closed") return;
  for (const agent of missingBidders(draft.claim).filter((name) => silent.includes(name))) {
    const registration = draft.input.agents.find(({ name }) => name === agent);
    if (registration === undefined || !hasTool(registration)) continue;
    const word = bidByRules(draft.input.target, registration);
    if (word !== undefined) draft.bid(agent, word);
    else if (mayMiss(registration)) draft.bid(agent, "ignore");
  }
}

function mayMiss({ on_missing_bid }: RegisteredAgent): boolean {
  return on_missing_bid === "ignore";
}

/**
 * Never more than the whole time, should the clock have been set back since the claim was opened.
 * The time begins again while a budget keeps the model from being asked.
 */
function askingTimeLeftMs(
  { claim, input }: Draft,
  { asking_ms: wholeMs = bidAskingMs }: RegisteredAgent,
): number {
  if (input.isHeld === true) return wholeMs;
  return Math.min(wholeMs, Date.parse(claim.created_at) + wholeMs - Date.parse(input.at));
}
