// Damage to what came of attempts.
import {
  approval,
  artefact,
  change,
  claim,
  type Damage,
  event,
  found,
  moveBehind,
  release,
  stranger,
} from "./hand.ts";

export const resultDamages: readonly Damage[] = [
  [
    "artefactsAreAsTheLogSays",
    "an artefact of another role",
    (h) => change(artefact(h, "TestReport"), { produced_by_role: "x" }),
  ],
  [
    "artefactsAreAsTheLogSays",
    "an artefact of another claim",
    (h) => change(artefact(h, "TestReport"), { claim_id: stranger }),
  ],
  [
    "artefactsAreAsTheLogSays",
    "an artefact of another goal than its claim",
    (h) => change(artefact(h, "TestReport"), { goal_id: stranger }),
  ],
  [
    "resultsAreStoredWithTheirGrant",
    "work that was done before its result was there",
    (h) =>
      moveBehind(
        h,
        event(h, "artefact_created", { artefact: artefact(h, "TestReport") }),
        event(h, "grant_done", { artefact: artefact(h, "TestReport") }),
      ),
  ],
  [
    "reviewsEndWithReviews",
    "a review that is a report",
    (h) => change(approval(h), { structural_type: "Standard" }),
  ],
  [
    "failedAttemptsAreExplained",
    "a failed attempt with a report",
    (h) => change(artefact(h, "ToolExecutionFailure"), { structural_type: "Standard" }),
  ],
  [
    "failedAttemptsAreExplained",
    "a failed attempt without a reason",
    (h) => change(event(h, "grant_failed"), { data: {} }),
  ],
  [
    "failedAttemptsHaveOneFailure",
    "a Failure of no attempt",
    (h) => change(artefact(h, "TestReport"), { structural_type: "Failure", type: "AttemptLost" }),
  ],
  [
    "grantsWaitForQuestionsOrJudgements",
    "a grant that waits for a report",
    (h) => change(event(h, "grant_waiting"), { artefact_id: artefact(h, "TestReport").id }),
  ],
  [
    "clarificationsEndWithAnswers",
    "a clarification that ends with a report",
    (h) => change(claim(h, "WhichDoor", 1, "clarification"), { kind: "rework" }),
  ],
  [
    "clarificationsEndWithAnswers",
    "an answer to no question",
    (h) => change(release(h), { kind: "clarification" }),
  ],
  [
    "sourcesAreOfTheSameGoal",
    "a source of another goal",
    (h) =>
      change(
        found(h.artefacts.get(artefact(h, "TestReport").source_artefacts[0] ?? ""), "source"),
        { goal_id: stranger },
      ),
  ],
];
