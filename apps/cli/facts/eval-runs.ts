// The runs of an eval, and what each setting came to. Pure.
import type { Cost } from "../../../lib/core/call-costs.ts";
import type { CommitHash, GoalId } from "../../../lib/model/ids.ts";

/**
 * `checks-failed`: the goal was reached, and its result did not pass. `asked`: it waited for a
 * person, and the file had no answer. `not-started`: its instance did not come up. `broken`: it
 * could not be led to its end.
 */
export type EvalOutcome =
  | "passed"
  | "checks-failed"
  | "failed"
  | "stalled"
  | "cancelled"
  | "asked"
  | "timed-out"
  | "not-started"
  | "broken"
  | "interrupted";

/**
 * `reason`: empty where it has passed. `rounds`: the version of the result that was made anew most
 * often; 0 without a result. `folder`: where its report is; null where nothing is on record.
 */
export type EvalRun = {
  setting: string;
  goal: string;
  run: number;
  outcome: EvalOutcome;
  reason: string;
  goal_id: GoalId | null;
  commit: CommitHash | null;
  cost: Cost | null;
  duration_ms: number | null;
  rounds: number;
  questions: number;
  report: string | null;
};

/** `cost`, `questions`: of all runs. `duration_ms`, `rounds`: the medians. */
export type SettingSummary = {
  setting: string;
  runs: number;
  passed: number;
  cost: Cost | null;
  duration_ms: number | null;
  rounds: number | null;
  questions: number;
};

/** Rows are in the order of `settings`. A run that has not begun has neither time nor rounds. */
export function summarise(settings: readonly string[], runs: readonly EvalRun[]): SettingSummary[] {
  return settings.map((setting) => {
    const own = runs.filter((run) => run.setting === setting);
    const begun = own.filter(({ goal_id }) => goal_id !== null);
    return {
      setting,
      runs: own.length,
      passed: own.filter(({ outcome }) => outcome === "passed").length,
      cost: sumOf(own.flatMap(({ cost }) => cost ?? [])),
      duration_ms: median(begun.flatMap(({ duration_ms }) => duration_ms ?? [])),
      rounds: median(begun.map(({ rounds }) => rounds)),
      questions: own.reduce((sum, { questions }) => sum + questions, 0),
    };
  });
}

function sumOf(costs: readonly Cost[]): Cost | null {
  if (costs.length === 0) return null;
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  const estimated = sum(({ estimated_nanousd = 0 }) => estimated_nanousd);
  return {
    nanousd: sum(({ nanousd }) => nanousd),
    tokens: sum(({ tokens }) => tokens),
    calls: sum(({ calls }) => calls),
    unpriced_calls: sum(({ unpriced_calls }) => unpriced_calls),
    ...(estimated > 0 && { estimated_nanousd: estimated }),
  };
}

/** Null for none; between the two in the middle of an even number. */
function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1].map((at) => sorted[at]);
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
