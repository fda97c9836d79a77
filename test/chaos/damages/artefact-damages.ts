// Damage to artefacts, threads and sources.
import { artefact, change, type Damage, drop, event, repeat, stranger } from "./hand.ts";

export const artefactDamages: readonly Damage[] = [
  [
    "noArtefactOfTheLogIsMissing",
    "an artefact that is gone",
    (h) => h.artefacts.delete(artefact(h, "SecretsReport").id),
  ],
  [
    "noArtefactOfTheLogIsMissing",
    "an artefact of another type",
    (h) => change(artefact(h, "SecretsReport"), { type: "Poem" }),
  ],
  [
    "everyArtefactIsLoggedOnce",
    "an artefact logged twice",
    (h) => repeat(h, event(h, "artefact_created", { artefact: artefact(h, "Release") })),
  ],
  [
    "everyArtefactIsLoggedOnce",
    "an artefact never logged",
    (h) => drop(h, event(h, "artefact_created", { artefact: artefact(h, "Release") })),
  ],
  [
    "threadsHaveNoGaps",
    "a thread without version 2",
    (h) => change(artefact(h, "CodeCommit", 2), { version: 3 }),
  ],
  [
    "threadsHaveNoGaps",
    "a thread whose list lacks a version",
    (h) => h.threads.get(artefact(h, "CodeCommit").logical_id)?.pop(),
  ],
  [
    "threadsKeepTheirGoalAndType",
    "a next version of another type",
    (h) => change(artefact(h, "CodeCommit", 2), { type: "Poem" }),
  ],
  [
    "threadsKeepTheirGoalAndType",
    "a next version of another goal",
    (h) => change(artefact(h, "CodeCommit", 2), { goal_id: stranger }),
  ],
  [
    "approvalsComeOfReviews",
    "a report that is an approval",
    (h) => change(artefact(h, "TestReport"), { structural_type: "Review", payload: "{}" }),
  ],
  [
    "approvalsComeOfReviews",
    "a report that is feedback, of which its grant does not know",
    (h) => change(artefact(h, "TestReport"), { structural_type: "Review", payload: "No." }),
  ],
  [
    "noVersionIsThereTwice",
    "a version 1 beside version 1",
    (h) => change(artefact(h, "CodeCommit", 2), { version: 1 }),
  ],
  [
    "noVersionIsThereTwice",
    "a thread that lists another's artefact",
    (h) => h.threads.get(artefact(h, "CodeCommit").logical_id)?.push({ id: stranger, version: 3 }),
  ],
  [
    "everySourceExists",
    "a source that is nowhere",
    (h) => change(artefact(h, "TestReport"), { source_artefacts: [stranger] }),
  ],
  [
    "resultsNameTheirSources",
    "a report that does not name the approval",
    (h) => artefact(h, "TestReport").source_artefacts.pop(),
  ],
  [
    "resultsNameTheirSources",
    "a report whose target is not its first source",
    (h) => artefact(h, "TestReport").source_artefacts.reverse(),
  ],
  [
    "resultsNameTheirSources",
    "a release that does not name the licences",
    (h) => artefact(h, "Release").source_artefacts.splice(2, 1),
  ],
  [
    "resultsNameTheirSources",
    "a new version that does not name its review",
    (h) => artefact(h, "CodeCommit", 2).source_artefacts.pop(),
  ],
  [
    "resultsNameTheirSources",
    "a Failure about nothing",
    (h) => artefact(h, "ToolExecutionFailure").source_artefacts.pop(),
  ],
  [
    "goalsListTheirArtefacts",
    "a goal that does not list its release",
    (h) => h.goals.get(artefact(h, "Release").goal_id)?.artefacts.pop(),
  ],
  [
    "goalsListTheirArtefacts",
    "a goal that lists what is not there",
    (h) => h.goals.get(artefact(h, "Release").goal_id)?.artefacts.push(stranger),
  ],
];
