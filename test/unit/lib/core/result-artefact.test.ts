import { describe, expect, test } from "bun:test";
import {
  failureArtefact,
  type GrantOrigin,
  resultArtefact,
  resultsOfEarlierPhases,
} from "../../../../lib/core/result-artefact.ts";
import type { Claim, Grant } from "../../../../lib/model/claim.ts";
import { ArtefactId, type ArtefactId as Id } from "../../../../lib/model/ids.ts";
import type { Phase } from "../../../../lib/model/phase.ts";
import { derived } from "../../../support/records/lineage.ts";
import { agentName, newArtefactId, sampleClaim } from "../../../support/records/sample.ts";

const target = derived([derived([])], { type: "CodeCommit" });
const report = {
  structural_type: "Standard",
  type: "Report",
  payload: "text",
  metadata: { lines: 3 },
  summary: "Short.",
} as const;

function grantOrigin(over: Partial<Claim> = {}): GrantOrigin {
  const agent = { name: agentName("tester"), role: "checker" };
  return {
    id: newArtefactId(),
    at: "2026-02-03T04:05:06.789Z",
    agent,
    claim: sampleClaim(target, [], over),
  };
}

describe("resultArtefact", () => {
  test("begins a new thread from the target and the results of earlier phases, in the agent's name", () => {
    const made = grantOrigin();
    const earlier = [newArtefactId(), newArtefactId()];
    expect(resultArtefact(made, report, { target, earlier })).toEqual({
      id: made.id,
      logical_id: made.id as never,
      version: 1,
      structural_type: "Standard",
      type: "Report",
      payload: "text",
      source_artefacts: [target.id, ...earlier],
      produced_by_role: "checker",
      produced_by_agent: agentName("tester"),
      created_at: made.at,
      goal_id: target.goal_id,
      claim_id: made.claim.id,
      metadata: { lines: 3, summary: "Short." },
    });
  });

  test("a rework makes the target's next version, of the same type, from the reviewed version and the rejecting reviews", () => {
    const reviews = [newArtefactId()];
    const better = { ...report, type: target.type };
    const result = resultArtefact(
      grantOrigin({ kind: "rework", additional_context_ids: reviews }),
      better,
      {
        target,
        earlier: [],
      },
    );
    expect(result).toMatchObject({
      logical_id: target.logical_id,
      version: 2,
      type: "CodeCommit",
      payload: "text",
    });
    expect(result.source_artefacts).toEqual([target.id, ...reviews]);
  });

  test("a Failure in a rework begins a thread of its own", () => {
    const made = grantOrigin({ kind: "rework" });
    const result = resultArtefact(
      made,
      { ...report, structural_type: "Failure" },
      { target, earlier: [] },
    );
    expect(result).toMatchObject({ logical_id: made.id as never, version: 1, type: "Report" });
  });

  test("a Terminal names the goal among its sources, once", () => {
    const goal = ArtefactId.parse(target.goal_id);
    const terminal = { ...report, structural_type: "Terminal" } as const;
    expect(
      resultArtefact(grantOrigin(), terminal, { target, earlier: [] }).source_artefacts,
    ).toEqual([target.id, goal]);
    expect(
      resultArtefact(grantOrigin(), terminal, { target, earlier: [goal] }).source_artefacts,
    ).toEqual([target.id, goal]);
  });
});

test("a Failure begins a thread and carries its reason as summary", () => {
  const made = grantOrigin();
  const failure = {
    type: "ToolExecutionFailure",
    payload: "{}",
    reason: "It broke.",
    sources: [target.id],
  };
  expect(failureArtefact(made, failure)).toMatchObject({
    logical_id: made.id as never,
    version: 1,
    structural_type: "Failure",
    source_artefacts: [target.id],
    metadata: { summary: "It broke." },
  });
});

test("later phases get what earlier ones made, reviews first, and nothing of their own", () => {
  const done = (phase: Phase, id: Id): Grant => ({
    agent: agentName(`a-${phase}`),
    phase,
    attempt: 1,
    queued_at: "2026-01-01T00:00:00Z",
    started_at: "2026-01-01T00:00:00Z",
    ended_at: "2026-01-01T00:00:00Z",
    context_ids: [],
    state: "done",
    artefact_ids: [id],
  });
  const [review, parallel, exclusive] = [newArtefactId(), newArtefactId(), newArtefactId()];
  const grants = [done("parallel", parallel), done("review", review), done("exclusive", exclusive)];
  expect(resultsOfEarlierPhases(grants, "review")).toEqual([]);
  expect(resultsOfEarlierPhases(grants, "parallel")).toEqual([review]);
  expect(resultsOfEarlierPhases(grants, "exclusive")).toEqual([review, parallel]);
});
