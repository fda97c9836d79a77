// Decides which bids an agent has given in advance: by its rules, by the default, or as a person
// (docs/internals/claims.md#bids).
import type { RegisteredAgent } from "../model/agent.ts";
import type { Bid, BidWord } from "../model/bid.ts";
import { missingBidders } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import { ofSame } from "../model/of-same.ts";
import type { Draft } from "./claim-draft.ts";
import {
  type BidTarget,
  bidByDefault,
  bidByRules,
  isGuardedAgainst,
  rulesWithPaths,
} from "./decide-bid.ts";

type Bidder = Pick<
  RegisteredAgent,
  "role" | "bids" | "bids_by_command" | "asks_model" | "external" | "human" | "unreadable"
>;

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

/** The names of all agents, in the order of sett.yml: the electorate of a new claim. */
export const electorateOf = ofSame((agents: readonly RegisteredAgent[]): AgentName[] =>
  agents.toSorted(byPosition).map(({ name }) => name),
);

/** Places the bids that are missing and need not be asked for, in the order of sett.yml. */
export function placeStandingBids(draft: Draft): void {
  const { agents, target } = draft.input;
  const { electorate, bids } = draft.claim;
  if (bids.length === 0 && electorate === electorateOf(agents))
    return draft.standingBids(bidsOfAll(target, agents));
  const missing = new Set(missingBidders(draft.claim));
  if (missing.size === 0) return;
  draft.standingBids(
    standingBids(
      target,
      agents.filter(({ name }) => missing.has(name)),
    ),
  );
}

function standingBids(target: BidTarget, agents: readonly RegisteredAgent[]): Bid[] {
  return agents.toSorted(byPosition).flatMap((agent) => {
    const word = standingBid(target, agent);
    return word === undefined ? [] : [{ agent: agent.name, word }];
  });
}

/** So many kinds of artefacts have their bids kept. */
const maxTargets = 100;
const bidsByTarget = ofSame((_: readonly RegisteredAgent[]) => new Map<string, Bid[]>());

/** Returns the same list for each artefact of this type by this role, with the same files. */
function bidsOfAll(target: BidTarget, agents: readonly RegisteredAgent[]): Bid[] {
  const known = bidsByTarget(agents);
  const paths = rulesWithPaths(agents).length === 0 ? [] : [target.paths];
  const key = JSON.stringify([target.type, target.produced_by_role, ...paths]);
  const bids = known.get(key) ?? standingBids(target, agents);
  if (known.size >= maxTargets) known.clear();
  known.set(key, bids);
  return bids;
}

/** An agent without a position comes last: it has registered itself. */
function byPosition(one: RegisteredAgent, other: RegisteredAgent): number {
  const [first, second] = [
    one.position ?? Number.POSITIVE_INFINITY,
    other.position ?? Number.POSITIVE_INFINITY,
  ];
  if (first !== second) return first - second;
  return one.name < other.name ? -1 : 1;
}
