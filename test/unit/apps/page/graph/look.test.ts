import { expect, test } from "bun:test";
import { lookOf } from "../../../../../apps/page/graph/look.ts";
import { makerOf } from "../../../../../apps/page/graph/matching.ts";
import { newGoalId, sampleArtefact } from "../../../../support/records/sample.ts";

const by = "Grace Hopper <grace@example.org>";
const goal_id = newGoalId();
const landed = {
  goal_id,
  structural_type: "Terminal",
  type: "Landed",
  produced_by_agent: "merge",
} as const;
const request = sampleArtefact({
  goal_id,
  ...{ type: "CodeCommit", produced_by_agent: "", produced_by_role: "user" },
  metadata: { reverts: "main", by },
});
const back = sampleArtefact({ ...landed, metadata: { lane: "main", reverted_by: by } });

test("what takes a goal back says from where and by whom, and is drawn as no success", () => {
  expect(lookOf(request)).toEqual({
    ...{ tone: "feedback", symbol: "↶", word: "is to take the goal back from the lane main" },
  });
  expect(lookOf(back)).toEqual({
    ...{ tone: "feedback", symbol: "↶" },
    word: "took the goal back from the lane main, as Grace Hopper asked",
  });
});

test("no agent can say of its work that a person takes a goal back, and what lands is an end", () => {
  expect(lookOf({ ...request, produced_by_agent: "coder" }).symbol).toBe("●");
  expect(lookOf({ ...back, type: "Done" }).symbol).toBe("■");
  expect(lookOf(sampleArtefact({ ...landed, metadata: { lane: "main" } })).symbol).toBe("■");
});

test("a card names the person, and the role where no name is on record", () => {
  expect(makerOf(request)).toBe("Grace Hopper");
  expect(makerOf({ ...request, metadata: {} })).toBe("user");
  expect(makerOf({ ...request, produced_by_agent: "coder" })).toBe("coder");
});
