import { expect, test } from "bun:test";
import { goalOfCall } from "../../../../../lib/client/remote/goal-of-call.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { derived } from "../../../../support/records/lineage.ts";

const goal = derived([]);
const note = derived([goal]);
const board = {
  readArtefact: async (id: string) => [goal, note].find((one: Artefact) => one.id === id),
};
const amounts = { nanousd: 1, tokens: 0, calls: 0 };

test("a write is about the goal of what it names on the blackboard", async () => {
  expect(await goalOfCall("createArtefact", [goal, "person:ada"], board)).toBe(goal.goal_id);
  const answer = { ...derived([note]), goal_id: crypto.randomUUID() };
  expect(await goalOfCall("answerQuestion", [answer, "person:ada"], board)).toBe(goal.goal_id);
  expect(
    await goalOfCall(
      "raiseBudget",
      [{ goal: goal.goal_id, add: amounts, actor: "person:ada", cause: "x" }],
      board,
    ),
  ).toBe(goal.goal_id);
  expect(
    await goalOfCall(
      "logEvent",
      [{ type: "cancel_requested", goal_id: goal.goal_id }, "person:ada"],
      board,
    ),
  ).toBe(goal.goal_id);
});

test("no goal is known where it is not there, where the arguments are wrong, and of a pause", async () => {
  const elsewhere = [{ type: "cancel_requested", goal_id: crypto.randomUUID() }, "person:ada"];
  expect(await goalOfCall("logEvent", elsewhere, board)).toBeUndefined();
  expect(
    await goalOfCall("logEvent", [{ type: "pause_requested" }, "person:ada"], board),
  ).toBeUndefined();
  expect(await goalOfCall("createArtefact", "no list", board)).toBeUndefined();
});
