// An eval as a person reads it.
import { expect, test } from "bun:test";
import { summarise } from "../../../../../apps/cli/facts/eval-runs.ts";
import { evalReport } from "../../../../../apps/cli/render/eval-report.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { sampleRun } from "../../../../support/cli/sample-run.ts";

const plain = { style: createStyle(false), columns: undefined };

test("there is a row for each setting, then one for each run that has not passed", () => {
  const failed = { reason: "`ls x` ended\nwith 2", duration_ms: 61_000, run: 2 };
  const runs = [sampleRun(), sampleRun({ ...failed, outcome: "checks-failed" })];
  expect(evalReport(summarise(["a"], runs), runs, plain, 2).split("\n")).toEqual([
    "setting  passed  cost  time  rounds  questions",
    "a        1 of 2        0:31  1       0",
    "",
    "not passed  setting  run  outcome        why",
    "door        a        2    checks failed  `ls x` ended with 2",
    "",
  ]);
});

test("what has not started has one row, and what was not tried counts as not passed", () => {
  const not = { outcome: "not-started", goal_id: null, reason: "No Redis", rounds: 0 } as const;
  const runs = [sampleRun(not), sampleRun({ ...not, goal: "wall" })];
  const lines = evalReport(summarise(["a"], runs), runs, plain, 3).split("\n");
  expect(lines[1]).toBe("a        0 of 3                      0");
  expect(lines.slice(4)).toEqual(["all         a        all  not started  No Redis", ""]);
});
