// Bids of the memory blackboard, in the record of the claim and in its public hash, where people
// may write.
import { BidWord } from "../../model/bid.ts";
import { type Claim, isEnded, missingBidders } from "../../model/claim.ts";
import { AgentName } from "../../model/ids.ts";
import { agentAt } from "../records/event-actor.ts";
import { aboutOf } from "./grants.ts";
import type { ClaimRecord, State } from "./state.ts";

export function recordBid(
  state: State,
  record: ClaimRecord,
  agent: AgentName,
  word: BidWord,
  origin: "by hand" | { reason: string; host: string | undefined },
): void {
  const { claim, bidHash } = record;
  bidHash.set(agent, word);
  claim.bids = [...claim.bids, { agent, word }];
  claim.rev += 1;
  const isByHand = origin === "by hand";
  const more = isByHand ? { by_hand: true } : origin.reason === "" ? {} : { reason: origin.reason };
  const data = { word, missing: missingBidders(claim).length, ...more };
  state.log(
    { type: "bid_placed", ...aboutOf(record), agent, data },
    isByHand ? "hand" : agentAt(agent, origin.host),
  );
}

/** Returns the number of bids that were adopted. */
export function adoptBids(state: State, record: ClaimRecord): number {
  const { claim, bidHash } = record;
  for (const { agent, word } of claim.bids) if (!bidHash.has(agent)) bidHash.set(agent, word);
  let count = 0;
  for (const [name, text] of sorted(bidHash)) {
    const agent = claim.electorate.find((one) => one === name);
    const word = BidWord.safeParse(text).data;
    if (
      agent !== undefined &&
      word !== undefined &&
      isOpen(claim) &&
      wordOf(claim, name) === undefined
    ) {
      recordBid(state, record, agent, word, "by hand");
      count += 1;
    } else {
      refuseBid(
        state,
        record,
        name,
        !isOpen(claim)
          ? "the bidding is closed"
          : agent === undefined
            ? "not among those who bid"
            : "not a bid word",
      );
    }
  }
  return count;
}

/** Brings the hash back to the record of a claim whose bidding is closed. */
export function refuseLateBids(state: State, record: ClaimRecord): void {
  for (const [name] of sorted(record.bidHash))
    refuseBid(state, record, name, "the bidding is closed");
}

/** Brings the hash back to the record where the two differ, and logs why. */
function refuseBid(state: State, record: ClaimRecord, name: string, why: string): void {
  const { claim, bidHash } = record;
  const text = bidHash.get(name) ?? "";
  const recorded = wordOf(claim, name);
  if (text === recorded) return;
  if (recorded === undefined) bidHash.delete(name);
  else bidHash.set(name, recorded);
  const reason = recorded === undefined ? why : `its first bid counts, which was ${recorded}`;
  const subject = AgentName.safeParse(name).data;
  const data = { name: name.slice(0, 100), word: text.slice(0, 100), reason };
  state.log(
    { type: "bid_refused", ...aboutOf(record), ...(subject && { agent: subject }), data },
    "hand",
  );
}

function wordOf({ bids }: Claim, name: string): BidWord | undefined {
  return bids.find((bid) => bid.agent === name)?.word;
}

function sorted(bidHash: ReadonlyMap<string, string>): [string, string][] {
  return [...bidHash].sort(([one], [other]) => (one < other ? -1 : 1));
}

export function isOpen(claim: Claim): boolean {
  return claim.bidding === "open" && !isEnded(claim.status);
}
