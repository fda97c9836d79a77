// What the runs of a setting come to.
import { expect, test } from "bun:test";
import { summarise } from "../../../../../apps/cli/facts/eval-runs.ts";
import { sampleRun } from "../../../../support/cli/sample-run.ts";

const cost = (usd: number, more = {}) => ({
  ...{ nanousd: usd * 1e9, tokens: 10, calls: 1, unpriced_calls: 0 },
  ...more,
});

test("a setting has the sum of costs and questions, and the medians of time and rounds", () => {
  const runs = [
    sampleRun({ cost: cost(1), duration_ms: 1_000, rounds: 1, questions: 1 }),
    sampleRun({ cost: cost(2, { estimated_nanousd: 5 }), duration_ms: 9_000, rounds: 2 }),
    sampleRun({ outcome: "checks-failed", cost: cost(4), duration_ms: 2_000, rounds: 4 }),
    sampleRun({ setting: "b" }),
  ];
  expect(summarise(["b", "a"], runs)).toEqual([
    {
      ...{ setting: "b", runs: 1, passed: 1, cost: null, duration_ms: 1_000, rounds: 1 },
      questions: 0,
    },
    {
      ...{ setting: "a", runs: 3, passed: 2, duration_ms: 2_000, rounds: 2, questions: 1 },
      cost: { nanousd: 7e9, tokens: 30, calls: 3, unpriced_calls: 0, estimated_nanousd: 5 },
    },
  ]);
});

test("a run that has not begun has neither time nor rounds, and of two the median is between", () => {
  const not = { outcome: "not-started", goal_id: null, duration_ms: null, rounds: 0 } as const;
  const runs = [sampleRun(not), sampleRun({ rounds: 1 }), sampleRun({ rounds: 2 })];
  expect(summarise(["a", "c"], runs)).toMatchObject([
    { runs: 3, passed: 2, duration_ms: 1_000, rounds: 1.5 },
    { runs: 0, passed: 0, cost: null, duration_ms: null, rounds: null },
  ]);
});
