// When the bidding on a claim is over.
import type { RegisteredAgent } from "../model/agent.ts";
import { type Claim, missingBidders } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import type { Policy } from "../model/policy.ts";
import { type BidSubject, bidByRules } from "./decide-bid.ts";

/**
 * Full consensus: everybody has bid. `first_bid`: somebody wants it, and every agent whose rules say (or may say) `review` has bid, because a
 * review that comes too late protects nobody. A person's bid is there from the beginning, and so is no sign that anybody wants it.
 */
export function isBiddingOver(
  claim: Pick<Claim, "electorate" | "bids">,
  target: BidSubject,
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
    // What an unreadable one says nobody knows.
    return registration.unreadable !== undefined || bidByRules(target, registration) === "review";
  };
  const isWanted = claim.bids.some(({ agent, word }) => word !== "ignore" && registrationOf(agent)?.human !== true);
  return isWanted && !missing.some(isReviewer);
}
