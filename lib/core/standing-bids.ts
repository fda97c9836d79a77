// Which bids an agent has given in advance: by its rules, by the default, or as a person (docs/internals/claims.md#bids).
import type { RegisteredAgent } from "../model/agent.ts";
import type { BidWord } from "../model/bid.ts";
import { missingBidders } from "../model/claim.ts";
import type { Draft } from "./claim-draft.ts";
import { type BidTarget, bidByDefault, bidByRules, isGuardedAgainst } from "./decide-bid.ts";

type Bidder = Pick<RegisteredAgent, "role" | "bids" | "bids_by_command" | "asks_model" | "external" | "human" | "unreadable">;

/** Undefined where the agent itself must be asked. */
export function standingBid(target: BidTarget, agent: Bidder): BidWord | undefined {
  if (agent.unreadable !== undefined) return undefined;
  if (agent.human === true) return bidByRules(target, agent) ?? "ignore";
  // An agent without rules that bids by hand may bid on anything.
  if (agent.external === true && agent.bids.length === 0) return undefined;
  if (isGuardedAgainst(target, agent)) return "ignore";
  // The command decides every other bid; the rules count only where it is not heard in time.
  if (agent.bids_by_command === true) return undefined;
  const word = bidByRules(target, agent);
  if (word !== undefined || agent.asks_model === true) return word;
  return bidByDefault(target);
}

/** Places the bids that are missing and need not be asked for, in the order of sett.yml. */
export function placeStandingBids(draft: Draft): void {
  const { agents, target } = draft.input;
  const missing = new Set(missingBidders(draft.claim));
  if (missing.size === 0) return;
  const bidders = agents.filter(({ name }) => missing.has(name)).toSorted(byPosition);
  draft.standingBids(
    bidders.flatMap((agent) => {
      const word = standingBid(target, agent);
      return word === undefined ? [] : [{ agent: agent.name, word }];
    }),
  );
}

/** An agent without a position comes last: a program of the version before has registered it. */
function byPosition(one: RegisteredAgent, other: RegisteredAgent): number {
  const [first, second] = [one.position ?? Number.POSITIVE_INFINITY, other.position ?? Number.POSITIVE_INFINITY];
  if (first !== second) return first - second;
  return one.name < other.name ? -1 : 1;
}
