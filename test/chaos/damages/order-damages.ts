// Damage to the order of a claim's events, and to what they count.
import {
  approval,
  change,
  claim,
  type Damage,
  drop,
  event,
  moveBehind,
  release,
  repeat,
  stranger,
} from "./hand.ts";

export const orderDamages: readonly Damage[] = [
  [
    "theLogIsInOrder",
    "an event that has changed places",
    (h) => moveBehind(h, event(h, "bids_placed"), event(h, "grant_done")),
  ],
  ["theLogIsInOrder", "an id that is there twice", (h) => repeat(h, event(h, "bids_placed"))],
  [
    "claimsBeginWithTheirOpening",
    "a bid before the claim was opened",
    (h) =>
      moveBehind(
        h,
        event(h, "claim_opened", { claim: release(h) }),
        event(h, "bids_placed", { claim: release(h) }),
      ),
  ],
  [
    "biddingClosesOnce",
    "a bidding that closed twice",
    (h) => repeat(h, event(h, "bidding_closed", { claim: release(h) })),
  ],
  [
    "biddingClosesOnce",
    "a rework whose bidding closed",
    (h) => change(event(h, "bidding_closed"), { claim_id: claim(h, "CodeCommit", 1, "rework").id }),
  ],
  [
    "noBidComesAfterTheClosing",
    "a bid that came too late",
    (h) =>
      moveBehind(
        h,
        event(h, "bids_placed", { claim: release(h) }),
        event(h, "bidding_closed", { claim: release(h) }),
      ),
  ],
  [
    "nothingIsGrantedBeforeTheClosing",
    "a grant while bids come in",
    (h) =>
      moveBehind(
        h,
        event(h, "bidding_closed", { claim: release(h) }),
        event(h, "grant_queued", { claim: release(h), agent: "reviewer" }),
      ),
  ],
  [
    "nothingIsGrantedBeforeTheClosing",
    "a bidding that never closed",
    (h) => drop(h, event(h, "bidding_closed", { claim: release(h) })),
  ],
  [
    "missingBidsAreCounted",
    "a bid that counts no missing ones",
    (h) =>
      change(event(h, "bids_placed", { claim: release(h) }), {
        data: { ...event(h, "bids_placed").data, missing: 5 },
      }),
  ],
  [
    "missingBidsAreCounted",
    "a claim that counts more missing bids than agents",
    (h) =>
      change(event(h, "claim_opened", { claim: release(h) }), {
        data: { kind: "standard", cause: "standard", missing: 99 },
      }),
  ],
  [
    "eventsAgreeWithTheirClaim",
    "a start that names another artefact",
    (h) =>
      change(event(h, "grant_started", { claim: release(h) }), { artefact_id: approval(h).id }),
  ],
  [
    "eventsAgreeWithTheirClaim",
    "an end that names another goal",
    (h) => change(event(h, "claim_completed", { claim: release(h) }), { goal_id: stranger }),
  ],
];
