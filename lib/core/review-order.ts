// Decides which reviewers wait for the approval of others, and when their turn comes
// (docs/internals/claims.md#reviews-after-others).
import type { RegisteredAgent } from "../model/agent.ts";
import type { Bid, ReviewAfter } from "../model/bid.ts";
import type { Claim, Grant } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import { ofSame } from "../model/of-same.ts";
import { type BidTarget, ruleFor } from "./decide-bid.ts";

type Reviewed = {
  claim: Pick<Claim, "status" | "bidding" | "reviews_after">;
  grants: readonly Grant[];
};

/**
 * The reviewers that wait for others, by the rules of this moment. `bids` are all on record: an
 * agent that has not bid `review` on this very claim is waited for by none. Where reviewers wait
 * for each other in a circle, which only registrations made by hand can say, they do not wait.
 */
export function reviewsAfter(
  bids: readonly Bid[],
  target: BidTarget,
  agents: readonly RegisteredAgent[],
): ReviewAfter[] {
  const ordered = withOrder(agents);
  if (ordered.length === 0) return [];
  const reviewers = bids.filter(({ word }) => word === "review").map(({ agent }) => agent);
  const waiting = ordered.flatMap((registration): ReviewAfter[] => {
    const { name } = registration;
    const named = ruleFor(target, registration)?.after ?? [];
    if (named.length === 0 || !reviewers.includes(name)) return [];
    const after = reviewers.filter((one) => one !== name && isNamed(one, named, agents));
    return after.length === 0 ? [] : [{ agent: name, after }];
  });
  return withoutCircles(waiting);
}

/** Most clans have none. */
const withOrder = ofSame((agents: readonly RegisteredAgent[]) =>
  agents.filter(({ bids }) => bids.some(({ after }) => after !== undefined)),
);

function isNamed(
  reviewer: AgentName,
  named: readonly string[],
  agents: readonly RegisteredAgent[],
): boolean {
  if (named.includes(reviewer)) return true;
  const role = agents.find(({ name }) => name === reviewer)?.role;
  return role !== undefined && named.includes(role);
}

/** Leaves out those in a circle, and those between two circles. */
function withoutCircles(waiting: readonly ReviewAfter[]): ReviewAfter[] {
  let left = [...waiting];
  for (let before = left.length + 1; left.length < before; ) {
    before = left.length;
    const named = new Set(left.flatMap(({ after }) => after));
    const waits = new Set(left.map(({ agent }) => agent));
    left = left.filter(
      ({ agent, after }) => named.has(agent) && after.some((name) => waits.has(name)),
    );
  }
  return waiting.filter((one) => !left.includes(one));
}

/** The `reviewers` that are asked as soon as the bidding has closed. */
export function firstReviewers(
  reviewers: readonly AgentName[],
  { reviews_after = [] }: Pick<Claim, "reviews_after">,
): AgentName[] {
  return reviewers.filter((name) => !reviews_after.some(({ agent }) => agent === name));
}

/** The reviewers that have not been asked, and all that they wait for have approved. */
export function nextReviewers(snapshot: Reviewed): AgentName[] {
  return unaskedReviews(snapshot)
    .filter(({ after }) => after.length === 0)
    .map(({ agent }) => agent);
}

/**
 * The reviewers that have not been asked, each with those whose approval it still waits for. Behind
 * a review that rejects, none comes to its turn.
 */
export function unaskedReviews({ claim, grants }: Reviewed): ReviewAfter[] {
  const { status, bidding, reviews_after = [] } = claim;
  if (status !== "pending_review" || bidding === "open") return [];
  if (grants.some((grant) => grant.state === "done" && grant.rejects === true)) return [];
  const stateOf = (name: AgentName) => grants.find(({ agent }) => agent === name)?.state;
  return reviews_after
    .filter(({ agent }) => stateOf(agent) === undefined)
    .map(({ agent, after }) => ({
      agent,
      after: after.filter((name) => stateOf(name) !== "done"),
    }));
}
