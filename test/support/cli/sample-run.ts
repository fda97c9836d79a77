// A run of an eval for tests.
import type { EvalRun } from "../../../apps/cli/facts/eval-runs.ts";
import { GoalId } from "../../../lib/model/ids.ts";

export const sampleRun = (more: Partial<EvalRun> = {}): EvalRun => ({
  ...{ setting: "a", goal: "door", run: 1, outcome: "passed", reason: "", commit: null },
  ...{ goal_id: GoalId.parse(crypto.randomUUID()), cost: null, duration_ms: 1_000, rounds: 1 },
  ...{ questions: 0, report: null },
  ...more,
});
