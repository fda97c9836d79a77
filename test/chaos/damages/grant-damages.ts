// Damage to attempts and their results.
import {
  artefact,
  change,
  type Damage,
  drop,
  event,
  grant,
  release,
  repeat,
  stranger,
} from "./hand.ts";

export const grantDamages: readonly Damage[] = [
  [
    "noAttemptHasTwoResults",
    "an attempt done twice",
    (h) => repeat(h, event(h, "grant_done", { claim: release(h), agent: "licences" })),
  ],
  [
    "noAttemptHasTwoResults",
    "two attempts that were both done",
    (h) =>
      change(event(h, "grant_failed", { claim: release(h), agent: "tester" }), {
        type: "grant_done",
      }),
  ],
  [
    "everyResultComesFromOneAttempt",
    "a result that no attempt brought",
    (h) => h.artefacts.set(stranger, change({ ...artefact(h, "TestReport") }, { id: stranger })),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "a result of an attempt that was over",
    (h) =>
      change(event(h, "grant_done", { claim: release(h), agent: "tester" }), {
        data: { phase: "parallel", attempt: 1 },
      }),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "an attempt begun twice",
    (h) => repeat(h, event(h, "grant_started", { claim: release(h), agent: "tester" })),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "a second attempt that nothing led to",
    (h) => drop(h, event(h, "grant_retrying")),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "a result without a beginning",
    (h) => drop(h, event(h, "grant_started", { claim: release(h), agent: "licences" })),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "more retries than the agent has",
    (h) => change(grant(release(h), "tester"), { retries: 4 }),
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "more disruptions than are tried again",
    (h) => change(grant(release(h), "tester"), { disruptions: 4 }),
  ],
  [
    "grantsAreAsTheLogSays",
    "a done grant that still runs",
    (h) => change(grant(release(h), "licences"), { state: "running" }),
  ],
  [
    "grantsAreAsTheLogSays",
    "a grant in another attempt",
    (h) => change(grant(release(h), "licences"), { attempt: 3 }),
  ],
  [
    "grantsAreAsTheLogSays",
    "a grant with another's result",
    (h) => change(grant(release(h), "licences"), { artefact_ids: [artefact(h, "TestReport").id] }),
  ],
  ["grantsAreAsTheLogSays", "a grant that is gone", (h) => release(h).grants.splice(0, 1)],
  [
    "grantsAreAsTheLogSays",
    "a Failure as the result of a done grant",
    (h) => change(artefact(h, "LicenceReport"), { structural_type: "Failure" }),
  ],
  [
    "refusedResultsAreStoredNowhere",
    "a refused result that is on record",
    (h) =>
      h.events.push({ ...event(h, "grant_done", { claim: release(h) }), type: "result_refused" }),
  ],
  [
    "grantedAgentsAreCopiedForReaders",
    "a copy without the reviewer",
    (h) => change(release(h).granted, { review: [] }),
  ],
  [
    "grantedAgentsAreCopiedForReaders",
    "a copy with too many",
    (h) => release(h).granted.parallel.push("changelog-one"),
  ],
  [
    "grantedAgentsAreCopiedForReaders",
    "a copy with the other packager",
    (h) => change(release(h).granted, { exclusive: "tester" }),
  ],
];
