// The mistakes that the simulation is to find, and after how many schedules it does.
import { decisionDefects } from "./defects/decisions.ts";
import { grantDefects } from "./defects/grants.ts";
import { leaderDefects } from "./defects/leader.ts";
import { mailDefects } from "./defects/mail.ts";
import { peopleDefects } from "./defects/people.ts";
import { judge } from "./judge.ts";
import { type Defect, Planting } from "./planting.ts";
import { plannedFaults, runSchedule } from "./run-schedule.ts";

export const defects: readonly Defect[] = [
  ...leaderDefects,
  ...decisionDefects,
  ...grantDefects,
  ...peopleDefects,
  ...mailDefects,
];

/**
 * `schedules`: how many were played, the one that found it among them. `rule`: the first that was
 * broken; undefined: it was not found.
 */
export type Search = { name: string; schedules: number; seed: number; rule: string | undefined };

/**
 * Plays schedules from the seed `from` on, with the mistake in each of them, until one breaks a
 * rule.
 */
export function searchFor(
  { name, needs, plant }: Defect,
  { from = 1, most }: { from?: number; most: number },
): Search {
  for (let seed = from; seed < from + most; seed += 1) {
    if (!canShow({ needs }, seed)) continue;
    const [violation] = judgeWith(plant, seed);
    // A violation that is found without the mistake, too, is another one.
    if (violation !== undefined && judge(runSchedule(seed)).length === 0)
      return { name, schedules: seed - from + 1, seed, rule: violation.rule };
  }
  return { name, schedules: most, seed: from + most - 1, rule: undefined };
}

/** Only a schedule with the fault that a mistake needs can show it. */
export function canShow({ needs }: Pick<Defect, "needs">, seed: number): boolean {
  return needs === undefined || plannedFaults(seed).some(({ kind }) => kind === needs);
}

/** Whether a schedule that breaks no rule by itself does so with the mistake in it. */
export function isShown(plant: Defect["plant"], seed: number): boolean {
  return judgeWith(plant, seed).length > 0;
}

function judgeWith(plant: Defect["plant"], seed: number) {
  using planting = new Planting();
  plant(planting);
  return judge(runSchedule(seed));
}
