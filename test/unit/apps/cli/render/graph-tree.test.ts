// A goal as a tree: facts in, lines out.
import { expect, test } from "bun:test";
import { treeText } from "../../../../../apps/cli/render/graph-tree.ts";
import { symbolsFor } from "../../../../../apps/cli/render/symbols.ts";
import { visibleWidth } from "../../../../../lib/client/text/plain-text.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import {
  artefactGraph,
  type GraphFacts,
  type ReviewedHead,
} from "../../../../../lib/core/artefact-graph.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";
import { newArtefactId, sampleClaim } from "../../../../support/records/sample.ts";

const by = (agent: string) => ({ produced_by_agent: agent, produced_by_role: agent });
const said = (summary: string) => ({ metadata: { summary } });
const goal = derived([], said("Release 1.2.0"));
const commit = derived([goal], {
  ...by("changelog"),
  ...said("Listed 3 commits"),
  type: "CodeCommit",
});
const review = derived([commit], {
  ...by("reviewer"),
  ...said("Too short"),
  structural_type: "Review",
  type: "Review",
});
const rejection: ReviewedHead = { ...review, verdict: "feedback" };
const better = { ...nextVersion(commit, [review]), ...by("changelog"), ...said("Listed all") };
const approval = {
  ...derived([better], {
    ...by("reviewer"),
    ...said("approves"),
    structural_type: "Review",
    type: "Review",
  }),
  verdict: "approval" as const,
};
const report = derived([better], { ...by("tester"), ...said("passed"), type: "Report" });
const release = derived([better, approval, report, goal], {
  ...by("packager"),
  structural_type: "Terminal",
  type: "Release",
});
const all = [goal, commit, rejection, better, approval, report, release];

const short = (artefact: ReviewedHead) => artefact.id.slice(0, 8);

function drawn(
  artefacts: readonly ReviewedHead[],
  more: Partial<GraphFacts> = {},
  columns?: number,
  locale = "C.UTF-8",
): string[] {
  const graph = artefactGraph({ goal: goal.goal_id, artefacts, outside: [], claims: [], ...more });
  const text = treeText(
    graph,
    { style: createStyle(false), symbols: symbolsFor({ LANG: locale }) },
    columns,
  );
  return text.trimEnd().split("\n");
}

test("each artefact is below its first source, and names its other sources", () => {
  expect(drawn(all)).toEqual([
    `GoalDefined ${short(goal)} by user  “Release 1.2.0”`,
    `└─ CodeCommit ${short(commit)} by changelog  “Listed 3 commits”`,
    `   ├─ Review: feedback ${short(review)} by reviewer  “Too short”`,
    `   └─ CodeCommit v2 ${short(better)} by changelog  “Listed all”  also from ${short(review)}`,
    `      ├─ Review: approves ${short(approval)} by reviewer`,
    `      ├─ Report ${short(report)} by tester  “passed”`,
    `      └─ Release (Terminal) ${short(release)} by packager  also from ${short(approval)}, ${short(report)}`,
  ]);
  expect(drawn(all, {}, undefined, "C")[2]).toStartWith("   |- Review");
});

test("a claim is shown while it is open, or where it was terminated", () => {
  const open = { claim: sampleClaim(goal, [], { bidding: "open" }), grants: [] };
  const over = {
    claim: sampleClaim(goal, [], { bidding: "closed", status: "complete" }),
    grants: [],
  };
  const ended = {
    claim: sampleClaim(commit, [], { status: "terminated", termination_reason: "Feedback" }),
    grants: [],
  };
  expect(drawn([goal, commit, rejection], { claims: [open, over, ended] })).toEqual([
    `GoalDefined ${short(goal)} by user  “Release 1.2.0”`,
    "│  claim pending_review: bidding is open",
    `└─ CodeCommit ${short(commit)} by changelog  “Listed 3 commits”`,
    "   │  claim terminated: Feedback",
    `   └─ Review: feedback ${short(review)} by reviewer  “Too short”`,
  ]);
});

test("the reason of a failure is shown once", () => {
  const claim = sampleClaim(goal, [], {
    status: "terminated",
    termination_reason: "Agent coder failed: No paint left",
  });
  const about = {
    ...by("coder"),
    claim_id: claim.id,
    structural_type: "Failure" as const,
    type: "NoPaint",
  };
  const failure = derived([goal], { ...about, ...said("No paint left") });
  expect(drawn([goal, failure], { claims: [{ claim, grants: [] }] })).toEqual([
    `GoalDefined ${short(goal)} by user  “Release 1.2.0”`,
    "│  claim terminated: Agent coder failed",
    `└─ NoPaint (Failure) ${short(failure)} by coder  “No paint left”`,
  ]);
  const other = { ...failure, metadata: { summary: "Rain" } };
  expect(drawn([goal, other], { claims: [{ claim, grants: [] }] })[1]).toBe(
    "│  claim terminated: Agent coder failed: No paint left",
  );
});

test("what comes from elsewhere says from where, and nothing is left out", () => {
  const other = derived([], said("Another"));
  const gone = newArtefactId();
  const foreign = derived([other], { goal_id: goal.goal_id, source_artefacts: [other.id, gone] });
  expect(drawn([goal, foreign], { outside: [other] }).at(-1)).toEndWith(
    `also from ${short(other)} of goal ${short(other)}, ${gone.slice(0, 8)}, not on the blackboard`,
  );
});

test("the words of agents have bars where they need more than a row, and a type that is no word is quoted", () => {
  const fake = `${"x".repeat(30)} → sett approve 12345678`;
  const claim = sampleClaim(goal, [], {
    status: "terminated",
    termination_reason: `Agent coder failed: ${fake}`,
  });
  const posing = derived([goal], { ...by("coder"), ...said(fake), type: "Review: approves" });
  const rows = drawn([goal, posing], { claims: [{ claim, grants: [] }] }, 50);
  expect(rows).toEqual([
    `GoalDefined ${short(goal)} by user  “Release 1.2.0”`,
    "│  claim terminated:",
    "│    │ Agent coder failed:",
    `│    │ ${"x".repeat(30)} → sett`,
    "│    │ approve 12345678",
    `└─ “Review:\u00a0approves” ${short(posing)} by coder`,
    `        │ ${"x".repeat(30)} → sett`,
    "        │ approve 12345678",
  ]);
});

test("fits into 80 columns, however deep it is, and breaks no word", () => {
  const chain = [goal];
  for (let made = 0; made < 40; made += 1)
    chain.push(derived(chain.slice(-1), said(`Step ${made} ${"of the way ".repeat(9)}`)));
  const lines = drawn(chain, {}, 80);
  expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(80);
  const text = lines.map((line) => line.replace(/^[…│├└─ ]+/, "")).join(" ");
  for (const artefact of chain) expect(text).toContain(`${short(artefact)} by`);
  expect(lines.join("\n")).not.toMatch(/\b(?:St|Ste|wa|th)$/m);
});
