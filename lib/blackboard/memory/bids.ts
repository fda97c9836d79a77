// Bids of the memory blackboard, in the record of the claim.
import type { BidWord } from "../../model/bid.ts";
import { type Claim, isEnded, missingBidders } from "../../model/claim.ts";
import type { AgentName } from "../../model/ids.ts";
import { agentAt } from "../records/event-actor.ts";
import { aboutOf } from "./grants.ts";
import type { ClaimRecord, State } from "./state.ts";

export function recordBid(
  state: State,
  record: ClaimRecord,
  agent: AgentName,
  word: BidWord,
  { reason, host }: { reason: string; host: string | undefined },
): void {
  const { claim } = record;
  claim.bids = [...claim.bids, { agent, word }];
  claim.rev += 1;
  const data = { word, missing: missingBidders(claim).length, ...(reason !== "" && { reason }) };
  state.log({ type: "bid_placed", ...aboutOf(record), agent, data }, agentAt(agent, host));
}

export function isOpen(claim: Claim): boolean {
  return claim.bidding === "open" && !isEnded(claim.status);
}
