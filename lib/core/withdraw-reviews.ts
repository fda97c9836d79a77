// Decides what a rejection means for the other reviews of the same claim
// (docs/internals/claims.md#reviews-and-the-feedback-loop): those that have begun are heard, and no
// rework waits for any other. The next version is reviewed by all.
import { type Grant, isForApproval } from "../model/claim.ts";
import { cancelGrants } from "./cancel-grants.ts";
import type { Draft } from "./claim-draft.ts";
import type { Verdict } from "./review-verdict.ts";

export function rejectingOf({ input }: Draft): Verdict[] {
  return input.reviews.filter(({ approves }) => !approves);
}

/**
 * Whether a review has been rejecting while the claim is in its review phase: then no grant of a
 * review is queued any more.
 */
export function isRejected(draft: Draft): boolean {
  return draft.claim.status === "pending_review" && rejectingOf(draft).length > 0;
}

/**
 * Cancels the reviews that no agent is at work on. A queued grant may wait without a bound, for an
 * agent that is external, silent or removed, and so may one that waits for a person.
 */
export function withdrawReviews(draft: Draft): void {
  if (!isRejected(draft)) return;
  const rejecting = rejectingOf(draft).map(({ agent }) => agent);
  for (const grant of draft.grants) {
    if (grant.phase !== "review" || (grant.state !== "queued" && grant.state !== "waiting"))
      continue;
    const reason = `${rejecting.join(", ")} rejected it${consequenceFor(grant)}`;
    for (const cancelled of cancelGrants([grant], draft.input.at, reason))
      draft.endGrant(cancelled);
  }
}

function consequenceFor(grant: Grant): string {
  if (isForApproval(grant)) return ", so no other person's verdict is needed";
  return grant.state === "queued"
    ? " before this review had begun"
    : " while this review waited for an answer";
}

/**
 * Whether nothing more is to come of the review's grant once the claim is rejected: an attempt that
 * failed is not made again.
 */
export function isHeard(grant: Grant): boolean {
  return grant.state === "done" || grant.state === "cancelled" || grant.state === "failed";
}
