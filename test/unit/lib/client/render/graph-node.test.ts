// A node of a goal's graph says what it is.
import { describe, expect, test } from "bun:test";
import { labelOf } from "../../../../../lib/client/render/graph-node.ts";
import type { GraphFacts, ReviewedHead } from "../../../../../lib/core/artefact-graph.ts";
import type { Grant } from "../../../../../lib/model/claim.ts";
import { goal, graphOf } from "../../../../support/records/hostile-labels.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";
import { agentName, newArtefactId, sampleClaim } from "../../../../support/records/sample.ts";

/** Its title, then its lines; of the newest artefact, or of the first node of another goal. */
function label(artefacts: readonly ReviewedHead[], more: Partial<GraphFacts> = {}): string[] {
  const node = graphOf(artefacts, more).nodes.at(-1);
  if (node === undefined) throw new Error("The graph is empty.");
  const { title, lines } = labelOf(node);
  return [title, ...lines];
}

describe("a node", () => {
  const by = { produced_by_agent: "coder", produced_by_role: "coder" };
  const code = derived([goal], { ...by, type: "CodeCommit", metadata: { summary: "Green\nnow" } });
  const review = derived([code], {
    ...by,
    structural_type: "Review",
    type: "Review",
    metadata: { summary: "approves" },
  });

  test("says what it is, its short id, who made it, and its summary", () => {
    expect(label([code])).toEqual(["CodeCommit", `${code.id.slice(0, 8)} by coder`, "Green now"]);
    expect(label([])).toEqual(["GoalDefined", `${goal.id.slice(0, 8)} by user`, "Paint the door"]);
    expect(label([{ ...code, produced_by_role: "painter" }])[1]).toEndWith("by coder (painter)");
    expect(label([{ ...code, metadata: { summary: "x".repeat(300) } }])[2]).toHaveLength(100);
  });

  test("shows its version and its structural type where they are not the usual ones, and a review's verdict", () => {
    expect(label([code, nextVersion(code)])[0]).toBe("CodeCommit v2");
    expect(label([{ ...code, structural_type: "Failure", type: "NoWay" }])[0]).toBe(
      "NoWay (Failure)",
    );
    expect(label([{ ...code, structural_type: "Question", type: "Question" }])[0]).toBe("Question");
    expect(label([code, { ...review, verdict: "approval" }])).toEqual([
      "Review: approves",
      `${review.id.slice(0, 8)} by coder`,
    ]);
    expect(
      label([code, { ...review, verdict: "feedback", metadata: { summary: "Red" } }]).slice(0, 3),
    ).toEqual(["Review: feedback", `${review.id.slice(0, 8)} by coder`, "Red"]);
  });

  test("shows the status of each claim on it", () => {
    const grant: Grant = {
      agent: agentName("coder"),
      phase: "parallel",
      attempt: 1,
      state: "queued",
      queued_at: code.created_at,
    };
    const about = (over: Parameters<typeof sampleClaim>[2], grants: Grant[] = []) =>
      label([code], {
        claims: [{ claim: sampleClaim(code, [], { bidding: "closed", ...over }), grants }],
      }).at(-1);
    expect(about({ bidding: "open" })).toBe("claim pending_review: bidding is open");
    expect(about({ status: "pending_parallel" }, [grant])).toBe(
      "claim pending_parallel: coder queued",
    );
    expect(about({ status: "complete" })).toBe("claim complete: no agent worked on it");
    expect(about({ status: "complete", kind: "rework" }, [grant])).toBe("rework complete");
    const standingIn = {
      status: "complete",
      kind: "rework",
      stand_in: { for: "painter", because: "It is gone." },
    } as const;
    expect(about(standingIn, [grant])).toBe("rework by coder in place of painter complete");
    expect(about({ status: "terminated", termination_reason: "Feedback." })).toBe(
      "claim terminated: Feedback.",
    );
  });

  test("of another goal says which one", () => {
    const other = derived([], { metadata: { summary: "Another" } });
    expect(label([derived([other])], { outside: [other] }).at(-1)).toBe(
      `of goal ${other.goal_id.slice(0, 8)}`,
    );
    const gone = newArtefactId();
    expect(label([derived([], { source_artefacts: [gone] })])).toEqual([
      gone.slice(0, 8),
      "not on the blackboard",
    ]);
  });
});
