// Damage to claims: their artefacts, phases and ends.
import {
  approval,
  artefact,
  change,
  claim,
  type Damage,
  drop,
  event,
  grant,
  moveBehind,
  release,
  repeat,
  stranger,
} from "./hand.ts";

export const claimDamages: readonly Damage[] = [
  [
    "everyStandardArtefactHasItsClaim",
    "a report without a claim",
    (h) => h.claims.delete(claim(h, "TestReport").id),
  ],
  [
    "noArtefactHasTwoClaimsOfOneCause",
    "a second claim on record",
    (h) => h.claims.set(stranger, change({ ...release(h) }, { id: stranger })),
  ],
  [
    "noArtefactHasTwoClaimsOfOneCause",
    "a second claim in the log",
    (h) => repeat(h, event(h, "claim_opened", { claim: release(h) })),
  ],
  [
    "noArtefactHasTwoClaimsOfOneCause",
    "a claim that its index does not know",
    (h) => h.causes.delete(artefact(h, "CodeCommit").id),
  ],
  [
    "noClaimIsTriedAgainTwice",
    "a claim that was tried again as two",
    (h) => {
      const cause = `retry:${artefact(h, "ToolExecutionFailure").id}`;
      for (const id of [stranger, stranger.replace("8", "9")])
        h.claims.set(id, change({ ...release(h) }, { id, cause }));
    },
  ],
  [
    "onlyStandardArtefactsAreBidOn",
    "a claim on a Terminal",
    (h) => change(claim(h, "TestReport"), { artefact_id: artefact(h, "Release").id }),
  ],
  [
    "phasesNeverGoBack",
    "a review granted after the work",
    (h) =>
      moveBehind(
        h,
        event(h, "grant_queued", { claim: release(h), agent: "reviewer" }),
        event(h, "grant_queued", { claim: release(h), agent: "tester" }),
      ),
  ],
  [
    "phasesNeverGoBack",
    "a packager who did not wait for the licences",
    (h) =>
      moveBehind(
        h,
        event(h, "grant_done", { claim: release(h), agent: "licences" }),
        event(h, "grant_done", { artefact: artefact(h, "Release") }),
      ),
  ],
  [
    "phasesNeverGoBack",
    "a claim that is complete without its last result",
    (h) => drop(h, event(h, "grant_done", { artefact: artefact(h, "Release") })),
  ],
  [
    "rejectedArtefactsGoNoFurther",
    "a complete claim whose review rejects",
    (h) => change(approval(h), { payload: "No." }),
  ],
  [
    "rejectedArtefactsGoNoFurther",
    "a rework without its reviews",
    (h) => change(claim(h, "CodeCommit", 1, "rework"), { additional_context_ids: [] }),
  ],
  [
    "onlyReviewsAtWorkHoldUpARework",
    "a review that has not begun, after a rejection",
    (h) => {
      const rejected = claim(h, "CodeCommit");
      const waiting = change(
        { ...grant(rejected, "reviewer") },
        { agent: "sleeper", state: "queued" },
      );
      change(rejected, { status: "pending_review", grants: [...rejected.grants, waiting] });
    },
  ],
  [
    "reviewsAtWorkAreHeard",
    "a review that was stopped after a rejection",
    (h) =>
      change(event(h, "grant_done", { claim: claim(h, "CodeCommit"), agent: "reviewer" }), {
        type: "grant_cancelled",
      }),
  ],
  [
    "whatIsReworkedIsReviewedAgain",
    "a rework that is a Terminal",
    (h) => change(artefact(h, "CodeCommit", 2), { structural_type: "Terminal" }),
  ],
  [
    "claimsEndAsTheLogSays",
    "a completed claim that is still pending",
    (h) => change(release(h), { status: "pending_exclusive" }),
  ],
  [
    "claimsEndAsTheLogSays",
    "a completed claim that was terminated",
    (h) => change(release(h), { status: "terminated" }),
  ],
  [
    "claimsEndAsTheLogSays",
    "an end that no event tells of",
    (h) => drop(h, event(h, "claim_completed", { claim: release(h) })),
  ],
  [
    "claimsEndAsTheLogSays",
    "a beginning that no event tells of",
    (h) => drop(h, event(h, "claim_opened", { claim: release(h) })),
  ],
  [
    "claimsEndAsTheLogSays",
    "work after the end",
    (h) => h.events.push(event(h, "grant_started", { claim: release(h) })),
  ],
  [
    "claimsEndAsTheLogSays",
    "another reason",
    (h) => change(claim(h, "CodeCommit"), { termination_reason: "No reason." }),
  ],
  [
    "claimsEndAsTheLogSays",
    "a bidding that is open again",
    (h) => change(release(h), { bidding: "open" }),
  ],
];
