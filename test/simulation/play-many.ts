// Plays schedules one after the other, and gives back what is wrong with each.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import { findings } from "./findings.ts";
import { type Outcome, runSchedule } from "./run-schedule.ts";
import { shrink } from "./shrink.ts";

export type Failed = {
  seed: number;
  faults: readonly Fault[];
  needed: readonly number[];
  sentences: string[];
};

/**
 * `isDone`: asked after each schedule; true ends the play. `onFailed`: at once, for people who
 * wait.
 */
type PlayOptions = {
  play?: typeof runSchedule;
  isDone?: (outcome: Outcome) => boolean;
  onFailed?: (failed: Failed) => void;
};

/**
 * `npm test` plays so many, from the first one on. A job of the workflow plays 1 500 more, and the
 * night 50 000.
 */
export const byDay = 500;

/** Within one turn of the event loop nothing is collected. */
const schedulesInATurn = 20;

export async function playMany(
  seeds: Iterable<number>,
  { play = runSchedule, isDone = () => false, onFailed = () => {} }: PlayOptions = {},
): Promise<Failed[]> {
  const failed: Failed[] = [];
  let count = 0;
  for (const seed of seeds) {
    const outcome = play(seed);
    const sentences = findings(outcome);
    if (sentences.length > 0) {
      const { faults } = outcome;
      const one = { seed, faults, needed: await neededFaults(seed, faults, play), sentences };
      failed.push(one);
      onFailed(one);
    }
    if (isDone(outcome)) break;
    count += 1;
    if (count % schedulesInATurn === 0) await nextTurn();
  }
  return failed;
}

/** The places of the fewest faults with which the schedule still fails. */
async function neededFaults(
  seed: number,
  faults: readonly Fault[],
  play: typeof runSchedule,
): Promise<readonly number[]> {
  return await shrink([...faults.keys()], async (places) => {
    const outcome = play(seed, { faults: faults.filter((_, place) => places.includes(place)) });
    return findings(outcome).length > 0;
  });
}
