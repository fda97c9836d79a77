// Schedules in which people pause single goals, which those of the other seeds do not have.
import { expect, test } from "bun:test";
import { randomOf } from "../chaos/random.ts";
import { goalPauses } from "./faults.ts";
import { playMany } from "./play-many.ts";
import { plannedFaults, runSchedule } from "./run-schedule.ts";

/** Two seconds on a quiet machine. */
const schedules = 12;

test(`${schedules} schedules with pauses of goals come to rest, and start nothing in them`, async () => {
  const seeds = Array.from({ length: schedules }, (_, index) => index + 1);
  let pauses = 0;
  const failed = await playMany(seeds, {
    play: (seed, options) => {
      const pauses = goalPauses(randomOf(Math.imul(seed, 16) + 10));
      return runSchedule(seed, { faults: [...plannedFaults(seed), ...pauses], ...options });
    },
    isDone: ({ history }) => {
      pauses += history.events.filter(({ type }) => type === "goal_paused").length;
      return false;
    },
  });
  expect(failed.map(({ seed, needed, sentences }) => ({ seed, needed, sentences }))).toEqual([]);
  expect(pauses).toBeGreaterThan(schedules / 2);
}, 600_000);
