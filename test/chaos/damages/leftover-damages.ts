// Damages of what an ended claim must not leave behind, and an open one must not lack.
import { change, claim, type Damage, grant, release } from "./hand.ts";

export const leftoverDamages: readonly Damage[] = [
  [
    "everyOpenClaimSaysWhomItWaitsFor",
    "a claim that no agent goes on with",
    (h) => change(release(h), { status: "pending_parallel" }),
  ],
  [
    "everyOpenClaimSaysWhomItWaitsFor",
    "a running grant whose lease is not watched",
    (h) => {
      h.openClaims.push(change(release(h), { status: "pending_parallel" }).id);
      change(grant(release(h), "tester"), { state: "running" });
    },
  ],
  [
    "everyOpenClaimSaysWhomItWaitsFor",
    "a bidding that is never closed",
    (h) => h.openClaims.push(change(release(h), { status: "pending_review", bidding: "open" }).id),
  ],
  [
    "onlyOpenClaimsAreListedAsOpen",
    "an ended claim among the open ones",
    (h) => h.openClaims.push(release(h).id),
  ],
  [
    "nothingIsDueThatIsOver",
    "a lease on an ended claim",
    (h) => h.due.push(`lease:${release(h).id}:tester:2`),
  ],
  [
    "nothingIsDueThatIsOver",
    "a bid deadline of an ended claim",
    (h) => h.due.push(`bids:${release(h).id}`),
  ],
  [
    "nothingIsDueThatIsOver",
    "a lease on an attempt that is over",
    (h) => {
      change(release(h), { status: "pending_parallel" });
      h.due.push(`lease:${release(h).id}:tester:1`);
    },
  ],
  [
    "whatRunsHasSomethingThatMovesIt",
    "an artefact whose claim was never opened",
    (h) => h.causes.delete(claim(h, "TestReport").artefact_id),
  ],
  ["everyEventIsHandledInTheEnd", "an event that is owed", (h) => h.owed.push("7-0")],
  [
    "noAgentIsWokenForAnEndedClaim",
    "a wake-up for an ended claim",
    (h) => h.wakeUps.set("tester", [release(h).id]),
  ],
];
