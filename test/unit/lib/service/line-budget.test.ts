// How many lines of the log one agent's connections cause.
import { expect, test } from "bun:test";
import { systemClock } from "../../../../lib/async/clock.ts";
import { LineBudget } from "../../../../lib/service/line-budget.ts";

test("a hundred at once, then ten a second, and the next line says how many were left out", () => {
  let now = 0;
  const budget = new LineBudget({ ...systemClock, passedMs: () => now });
  const taken = Array.from({ length: 150 }, () => budget.take());
  expect(taken.filter((omitted) => omitted === 0)).toHaveLength(100);
  expect(taken.slice(100)).toEqual(Array(50).fill(undefined));
  now = 250;
  expect([budget.take(), budget.take(), budget.take()]).toEqual([50, 0, undefined]);
  now = 60_000;
  expect(
    Array.from({ length: 101 }, () => budget.take()).filter((omitted) => omitted !== undefined),
  ).toHaveLength(100);
});
