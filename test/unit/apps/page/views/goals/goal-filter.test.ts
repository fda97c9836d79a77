import { expect, test } from "bun:test";
import { matchesGoal } from "../../../../../../apps/page/views/goals/goal-filter.ts";
import type { GoalSummary } from "../../../../../../lib/api/goal.ts";

const nowMs = Date.parse("2026-03-31T12:00:00Z");
const cost = (usd: number) => ({
  ...{ usd, tokens: 1, calls: 1, unpriced_calls: 0, estimated_usd: 0 },
  ...{ calls_under_way: 0, agents: {} },
});
const goal = (over: Partial<GoalSummary>): GoalSummary => ({
  ...{ id: "g1", state: "running", summary: "Paint the door", artefacts: 1, cost: null },
  ...{ created_at: "2026-03-31T11:00:00Z", trigger: null, person: null },
  ...{ open_claims: 0, waiting_for: 0, failures: 0, reverts: [], attempt: 1, ...over },
});
const isShown = (over: Partial<GoalSummary>, filter: Record<string, string>) =>
  matchesGoal(goal(over), { q: "", by: "", age: "", cost: "", ...filter }, nowMs);

test("a person's goals are those that this person has stated", () => {
  expect(isShown({ person: "ada@example.org" }, { by: "ada@example.org" })).toBe(true);
  expect(isShown({ person: "bob" }, { by: "ada@example.org" })).toBe(false);
  expect(isShown({ trigger: "nightly" }, { by: "trigger nightly" })).toBe(true);
  expect(isShown({ person: "ada@example.org" }, { q: "ADA door" })).toBe(true);
});

test("a goal is found by how its id begins, and by no number that its id happens to hold", () => {
  expect(isShown({ id: "6a31c475-77" }, { q: "door 6A31" })).toBe(true);
  expect(isShown({ id: "6a31c475-77" }, { q: "door 77" })).toBe(false);
  expect(isShown({ id: "6a31c475-77" }, { q: "door c475" })).toBe(false);
});

test("goals whose work is made again are found by that word", () => {
  expect(isShown({ attempt: 3 }, { q: "attempt" })).toBe(true);
  expect(isShown({}, { q: "attempt" })).toBe(false);
});

test("a goal is of a week until seven days have passed", () => {
  expect(isShown({ created_at: "2026-03-24T12:00:00Z" }, { age: "week" })).toBe(true);
  expect(isShown({ created_at: "2026-03-24T11:59:59Z" }, { age: "week" })).toBe(false);
  expect(isShown({ created_at: "2020-01-01T00:00:00Z" }, { age: "someday" })).toBe(true);
});

test("a goal without calls of models costs nothing", () => {
  expect(isShown({ cost: cost(1) }, { cost: "1" })).toBe(true);
  expect(isShown({ cost: cost(0.99) }, { cost: "1" })).toBe(false);
  expect(isShown({}, { cost: "0.1" })).toBe(false);
  expect(isShown({}, { cost: "free" })).toBe(true);
});
