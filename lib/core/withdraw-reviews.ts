// Decides what a rejection means for the other work of the same phase
// (docs/internals/claims.md#reviews-and-the-feedback-loop): what has begun is heard, and no rework
// waits for anything else. The next version is judged by all.
import { type Grant, isForApproval } from "../model/claim.ts";
import { phaseOfStatus } from "../model/phase.ts";
import { cancelGrants } from "./cancel-grants.ts";
import type { Draft } from "./claim-draft.ts";
import type { Verdict } from "./review-verdict.ts";

export function rejectingOf({ input }: Draft): Verdict[] {
  return input.reviews.filter(({ approves }) => !approves);
}

/**
 * Whether work of the phase that the claim is in has sent the artefact back: then no grant of the
 * phase is queued any more.
 */
export function isRejected(draft: Draft): boolean {
  return phaseOfStatus(draft.claim.status) !== undefined && rejectingOf(draft).length > 0;
}

/**
 * Cancels the phase's grants that no agent is at work on. A queued grant may wait without a bound,
 * for an agent that is external, silent or removed, and so may one that waits for a person.
 */
export function withdrawReviews(draft: Draft): void {
  if (!isRejected(draft)) return;
  const phase = phaseOfStatus(draft.claim.status);
  const rejecting = rejectingOf(draft).map(({ agent }) => agent);
  for (const grant of draft.grants) {
    if (grant.phase !== phase || (grant.state !== "queued" && grant.state !== "waiting")) continue;
    const reason = `${rejecting.join(", ")} rejected it${consequenceFor(grant)}`;
    for (const cancelled of cancelGrants([grant], draft.input.at, reason))
      draft.endGrant(cancelled);
  }
}

function consequenceFor(grant: Grant): string {
  if (isForApproval(grant)) return ", so no person's verdict is needed any more";
  const work = grant.phase === "review" ? "review" : "work";
  return grant.state === "queued"
    ? ` before this ${work} had begun`
    : ` while this ${work} waited for an answer`;
}

/**
 * Whether nothing more is to come of the grant once the claim is rejected: an attempt that
 * failed is not made again.
 */
export function isHeard(grant: Grant): boolean {
  return grant.state === "done" || grant.state === "cancelled" || grant.state === "failed";
}
