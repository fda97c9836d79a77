// Damage to who has done what.
import { artefact, change, type Damage, event, release } from "./hand.ts";

const started = "orchestrator_started";

export const actorDamages: readonly Damage[] = [
  [
    "oneHolderHasEachEpoch",
    "an epoch without a holder",
    (h) => change(event(h, started), { data: { epoch: 1 } }),
  ],
  [
    "oneHolderHasEachEpoch",
    "an epoch of another number",
    (h) => change(event(h, started).data ?? {}, { epoch: 2 }),
  ],
  [
    "oneHolderHasEachEpoch",
    "a second holder of one epoch",
    (h) => h.events.push({ ...event(h, started), data: { holder: "three", epoch: 1 } }),
  ],
  [
    "decisionsAreTheOrchestrators",
    "an agent that grants itself work",
    (h) => change(event(h, "grant_queued", { agent: "tester" }), { actor: "agent:tester" }),
  ],
  [
    "decisionsAreTheOrchestrators",
    "a person who places bids",
    (h) => change(event(h, "bids_placed"), { actor: "person:Ada" }),
  ],
  [
    "decisionsAreTheOrchestrators",
    "a person who completes a claim",
    (h) => change(event(h, "claim_completed", { claim: release(h) }), { actor: "person:Ada" }),
  ],
  [
    "requestsAreMadeByPeople",
    "an agent that cancels the goal",
    (h) => change(event(h, "grant_done"), { type: "cancel_requested" }),
  ],
  [
    "peopleSpeakOnlyWhereTheyAct",
    "a person who begins an agent's work",
    (h) => change(event(h, "grant_started", { agent: "tester" }), { actor: "person:Ada" }),
  ],
  [
    "peopleSpeakOnlyWhereTheyAct",
    "a person who ends an agent's work",
    (h) =>
      change(event(h, "grant_done", { artefact: artefact(h, "TestReport") }), {
        actor: "person:Ada",
      }),
  ],
  [
    "peopleSpeakOnlyWhereTheyAct",
    "a person who posts a Failure",
    (h) =>
      change(event(h, "artefact_created", { artefact: artefact(h, "ToolExecutionFailure") }), {
        actor: "person:Ada",
      }),
  ],
];
