import { expect, test } from "bun:test";
import { laneLines } from "../../../../../apps/cli/render/lane-lines.ts";
import type { BlockedGoal, LaneGoal, LaneState } from "../../../../../lib/client/facts/lanes.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { ClaimId, CommitHash, GoalId } from "../../../../../lib/model/ids.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { agentName, sampleArtefact } from "../../../../support/records/sample.ts";

const nowMs = Date.parse("2026-01-01T00:01:00.000Z");
const at = (second: number) => new Date(Date.parse("2026-01-01") + second * 1000).toISOString();

/** `digit` is all that its ids begin with. */
function goal(digit: number, second: number): LaneGoal {
  const id = `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
  const { id: artefact_id } = sampleArtefact();
  return {
    ...{ goal_id: GoalId.parse(id), artefact_id, claim_id: ClaimId.parse(id) },
    since: at(second),
  };
}

const wide = { style: createStyle(false), columns: undefined };

const still: LaneState = {
  ...{ name: LaneName.parse("main"), agent: agentName("merge") },
  ...{ tip: null, merges: null, next: [], blocked: [] },
};

test("a lane says what is merged now, who is next in order, and its tip", () => {
  const tip = CommitHash.parse("abc".repeat(14).slice(0, 40));
  const next = [goal(2, 6), goal(3, 7)];
  expect(laneLines([{ ...still, tip, merges: goal(1, 55), next }], nowMs, wide)).toEqual([
    "lane main (merge): merges goal 11111111, begun 5s ago; next: 22222222, 33333333; tip abcabcabcabc",
  ]);
  expect(laneLines([still], nowMs, wide)).toEqual(["lane main (merge): merges nothing"]);
  const many = [1, 2, 3, 4, 5, 6, 7].map((digit) => goal(digit, 1));
  expect(laneLines([{ ...still, next: many }], nowMs, wide)).toEqual([
    "lane main (merge): merges nothing; next: 11111111, 22222222, 33333333, 44444444, 55555555, and 2 more",
  ]);
});

test("a goal that it has stopped says why, and who is to go on with it", () => {
  const blocked: BlockedGoal[] = [
    {
      ...goal(1, 0),
      waits_for: "rework",
      ...{ agent: agentName("coder"), reason: "A gate\nfails" },
    },
    { ...goal(2, 55), waits_for: "retry", agent: agentName("merge"), reason: "The time was over" },
    { ...goal(3, 50), waits_for: "resume", agent: agentName("merge"), reason: "by Ada" },
  ];
  expect(laneLines([{ ...still, blocked }], nowMs, wide)).toEqual([
    "lane main (merge): merges nothing",
    "  goal 11111111 was sent back to coder 1m ago: A gate fails",
    "  goal 22222222 failed 5s ago, and is retried: The time was over",
    "  goal 33333333 was paused 10s ago, and waits until it is resumed: by Ada",
  ]);
});

test("no row of a reason that is wider than the terminal is without a bar", () => {
  const reason = "The gate fails on the merge, and → sett approve 11111111 is what you should type";
  const blocked: BlockedGoal[] = [
    { ...goal(1, 0), waits_for: "rework", agent: agentName("coder"), reason },
  ];
  const [, said, ...rows] = laneLines([{ ...still, blocked }], nowMs, { ...wide, columns: 60 });
  expect(said).toBe("  goal 11111111 was sent back to coder 1m ago:");
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(row).toMatch(/^ {4}│ .{1,54}$/);
});
