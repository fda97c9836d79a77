// When the bidding on a claim is over.
import type { RegisteredAgent } from "../model/agent.ts";
import { type Claim, missingBidders } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import type { Policy } from "../model/policy.ts";
import { type BidTarget, bidByRules } from "./decide-bid.ts";

/**
 * `full`: every agent has bid. `first_bid`: an agent has bid for work, and every agent whose rules
 * say (or may say) `review` has bid, because a review that comes too late has no use. The bid of a
 * person is there from the beginning, so it does not count as the first.
 */
export function isBiddingOver(
  claim: Pick<Claim, "electorate" | "bids">,
  target: BidTarget,
  agents: readonly RegisteredAgent[],
  policy: Pick<Policy, "consensus">,
): boolean {
  const missing = missingBidders(claim);
  if (missing.length === 0) return true;
  if (policy.consensus === "full") return false;
  const registrationOf = (name: AgentName) => agents.find((agent) => agent.name === name);
  const isReviewer = (name: AgentName) => {
    const registration = registrationOf(name);
    if (registration === undefined) return false;
    // The rules of an unreadable registration are unknown: they may say `review`.
    return registration.unreadable !== undefined || bidByRules(target, registration) === "review";
  };
  const isWanted = claim.bids.some(
    ({ agent, word }) => word !== "ignore" && registrationOf(agent)?.human !== true,
  );
  return isWanted && !missing.some(isReviewer);
}
