// Damage to the log itself.
import { artefact, change, type Damage, event, found, release, stranger } from "./hand.ts";

export const logDamages: readonly Damage[] = [
  [
    "everyEventHasAnActor",
    "an event without an actor",
    (h) => change(event(h, "bidding_closed"), { actor: undefined }),
  ],
  [
    "everyEventHasAnActor",
    "an event of a kind unheard of",
    (h) => change(event(h, "bidding_closed"), { type: "shrug" }),
  ],
  [
    "everyEventIsAboutWhatExists",
    "an event about no claim",
    (h) => change(event(h, "bidding_closed"), { claim_id: stranger }),
  ],
  [
    "everyEventIsAboutWhatExists",
    "an event about no goal",
    (h) => change(event(h, "bidding_closed"), { goal_id: stranger }),
  ],
  [
    "everyEventIsAboutWhatExists",
    "an event about no artefact",
    (h) => change(event(h, "bidding_closed"), { artefact_id: stranger }),
  ],
  [
    "everyEventIsAboutWhatExists",
    "an event about an unknown agent",
    (h) => change(event(h, "grant_done"), { agent: "ghost" }),
  ],
  [
    "agentsSpeakForThemselves",
    "work that another agent began",
    (h) => change(event(h, "grant_started", { agent: "tester" }), { actor: "agent:secrets" }),
  ],
  [
    "agentsSpeakForThemselves",
    "a report posted by another agent",
    (h) =>
      change(event(h, "artefact_created", { artefact: artefact(h, "TestReport") }), {
        actor: "person:Ada",
      }),
  ],
  [
    "theReplacedChangeNothing",
    "a change made in an epoch that is over",
    (h) => change(event(h, "claim_completed", { claim: release(h) }), { actor: "orchestrator:0" }),
  ],
  [
    "theReplacedChangeNothing",
    "an epoch that was left out",
    (h) => change(event(h, "orchestrator_started"), { actor: "orchestrator:7" }),
  ],
  [
    "endedGoalsAreMarked",
    "a goal ended without an event",
    (h) => change(found([...h.goals.values()][0], "goal"), { ended: "cancelled" }),
  ],
];
