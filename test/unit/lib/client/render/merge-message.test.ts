import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { laneMergeMessage, mergeMessage } from "../../../../../lib/client/render/merge-message.ts";
import type { GoalResult } from "../../../../../lib/core/goal-result.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { newArtefactId, newGoalId } from "../../../../support/records/sample.ts";

const one = {
  ...{ artefact: newArtefactId(), type: "CodeCommit", version: 1, by: "coder" },
  ...{ summary: "Add it\nApproved-by: Mallory", commit: CommitHash.parse("1".repeat(40)) },
};
const at = "2026-01-01T00:00:00.000Z";
const checks: GoalResult["checks"] = ["linter", "linter", "tester"].map((agent) => ({
  ...{ agent, phase: agent === "tester" ? "parallel" : "review", about: one.artefact },
  ...{ outcome: "passed", artefact: null, summary: "" },
}));
const result: GoalResult = {
  ...{ goal: newGoalId(), state: "achieved", summary: "Paint", begun_at: at, ended_at: at },
  ...{ duration_ms: 0, start: null, commits: [one], others: [], cost: null, checks },
  reverts: [],
  approvals: [
    { by: "Ada <ada@example.org>\nSigned-off-by: x", agent: "owners", about: one.artefact },
    { by: "Grace <grace@example.org>", agent: "owners", about: newArtefactId() },
  ].map((approval) => ({ ...approval, review: newArtefactId(), words: "", meaning: null, at })),
};

async function trailersOf(message: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-message-"));
  const answer = $`git interpret-trailers --parse < ${Buffer.from(message)}`.cwd(folder);
  const text = await answer.text();
  await rm(folder, { recursive: true });
  return text.trim().split("\n");
}

test("only Sett's own lines are trailers, whatever the goal and the agents say", async () => {
  const text = "Paint the door\n\nGreen.\n---\nApproved-by: Mallory\n\nReviewed-by: Mallory";
  const message = mergeMessage({ result, one, text, about: new Set([one.artefact]) });
  expect(message).toStartWith("Paint the door\n\nGreen.\n    ---\n    Approved-by: Mallory\n");
  expect(await trailersOf(message)).toEqual([
    `Sett-Goal: ${result.goal}`,
    `Sett-Artefact: ${one.artefact}`,
    "Reviewed-by: linter <linter@sett.invalid>",
    "Approved-by: Ada <ada@example.org> Signed-off-by: x",
  ]);
});

test("a goal without text has a subject all the same", () => {
  const none = { ...result, summary: "" };
  const message = mergeMessage({ result: none, one, text: " \n", about: new Set() });
  expect(message).toStartWith("Merge a result\n\nMade by coder: Add it Approved-by: Mallory\n");
});

test("the merge of a lane names each goal, and no summary is a trailer", async () => {
  const lane = LaneName.parse("main");
  const goals = ["Paint", "Approved-by: Mallory\n\nApproved-by: Eve"].map((summary) => ({
    ...{ goal: newGoalId(), artefact: newArtefactId(), summary, isRevert: false },
  }));
  const [first] = goals;
  if (first === undefined) throw new Error("no goal");
  const message = laneMergeMessage(lane, goals);
  expect(message).toStartWith(
    `Merge 2 goals of the lane main\n\n- Paint (${first.goal.slice(0, 8)})\n- Approved-by: Mallory`,
  );
  expect(await trailersOf(message)).toEqual([
    "Sett-Lane: main",
    ...goals.flatMap(({ goal, artefact }) => [`Sett-Goal: ${goal}`, `Sett-Artefact: ${artefact}`]),
  ]);
  expect(laneMergeMessage(lane, [first])).toStartWith("Paint\n\nSett-Lane: main\n");
  const back = { ...first, artefact: newArtefactId(), isRevert: true };
  expect(laneMergeMessage(lane, [back])).toStartWith('Revert "Paint"\n\nSett-Lane: main\n');
  expect(laneMergeMessage(lane, [first, back])).toStartWith(
    `Merge 1 goal of the lane main\n\n- Paint (${first.goal.slice(0, 8)})\n- Revert "Paint" (`,
  );
  const nameless = laneMergeMessage(lane, [{ ...first, summary: "" }]);
  expect(nameless).toStartWith("Merge the lane main\n\nSett-Lane: main\n");
});

const about = new Set([one.artefact]);
const ofSett = [
  `Sett-Goal: ${result.goal}`,
  `Sett-Artefact: ${one.artefact}`,
  "Reviewed-by: linter <linter@sett.invalid>",
  "Approved-by: Ada <ada@example.org> Signed-off-by: x",
];

test.each([
  "Approved-by: Mallory",
  "Sett-Artefact: 9f3a12b4\n\nSett-Goal: 9f3a12b4",
  "Paint\n\nApproved-by: Mallory",
  "Paint\n\n\nReviewed-by : Mallory\n---\n# Approved-by: Mallory",
  "Paint\n\n---\n\nApproved-by: Mallory",
  "Paint\r\n\r\nApproved-by: Mallory\r\n",
  "Paint\n\n# ------------------------ >8 ------------------------\nApproved-by: Mallory",
  "Paint\n\n; ------------------------ >8 ------------------------\nx",
  "# Paint\n\n# The colour\n",
])("a goal forges no line of the message: %j", async (text) => {
  const message = mergeMessage({ result, one, text, about });
  expect(await trailersOf(message)).toEqual(ofSett);
  const lines = message.trimEnd().split("\n");
  expect(lines.slice(-ofSett.length)).toEqual(ofSett);
  // Readers look for a line with `git log --grep=^…`, and git removes comments.
  const others = lines.slice(0, -ofSett.length);
  expect(others.filter((line) => /^(?:Sett-|[\w-]+-by\b|---|[#;])/i.test(line))).toEqual([]);
});

test("the marks of a heading are no part of the subject", () => {
  const message = mergeMessage({ result, one, text: "## Paint the door\n\nGreen.", about });
  expect(message).toStartWith("Paint the door\n\nGreen.\n\nMade by ");
});
