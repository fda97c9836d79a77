// Says in sentences what is wrong with the outcome of a schedule.
import { judge } from "./judge.ts";
import type { Outcome } from "./run-schedule.ts";

/** Empty where all is as it must be. */
export function findings(outcome: Outcome): string[] {
  return judge(outcome).map(({ kind, rule, sentence }) => `${kind} (${rule}): ${sentence}`);
}
