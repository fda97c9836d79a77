import { expect, test } from "bun:test";
import type { GoalFacts } from "../../../../../apps/api/facts/goal-readings.ts";
import { goalSummaryView } from "../../../../../apps/api/facts/goal-view.ts";
import { type ClaimSnapshot, Grant } from "../../../../../lib/model/claim.ts";
import { GoalId } from "../../../../../lib/model/ids.ts";
import { newArtefactId, sampleArtefact, sampleClaim } from "../../../../support/records/sample.ts";

const at = "2026-01-01T00:00:00.000Z";
const goal = sampleArtefact({});
const grant = (attempt: number, more: object) =>
  Grant.parse({ agent: "coder", phase: "exclusive", attempt, queued_at: at, ...more });
const done = {
  ...{ state: "done", context_ids: [], artefact_ids: [goal.id], started_at: at, ended_at: at },
  run_id: "4dd1ea28-3a35-4b7c-8d4f-4f0e8f9c2d11",
};
const failed = { ...done, state: "failed", reason: "exit code 7", artefact_ids: [newArtefactId()] };

function attemptOf(...grants: Grant[]): number {
  const open: ClaimSnapshot = { claim: sampleClaim(goal, ["coder"]), grants };
  const facts: GoalFacts = {
    goal: GoalId.parse(goal.id),
    status: { state: "running", openClaims: [open], waitingFor: [], failures: [] },
    ...{
      summary: "Build",
      created_at: at,
      artefacts: 1,
      unreadable: [],
      failures: [],
      reverts: [],
    },
    ...{ commit: undefined, trigger: undefined, person: undefined, cost: undefined },
  };
  return goalSummaryView(facts).attempt;
}

test("a goal says at which attempt its work is, while it is queued, runs, or waits for the next one", () => {
  expect(attemptOf()).toBe(1);
  expect(attemptOf(grant(2, { state: "queued" }))).toBe(2);
  expect(attemptOf(grant(3, { ...failed, retry_at: at }), grant(1, { state: "queued" }))).toBe(3);
  expect(attemptOf(grant(4, failed), grant(5, done))).toBe(1);
});
