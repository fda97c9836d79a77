// Schedules in which workers are killed, lost and frozen, and agents run twice, which those of the
// other seeds do not have.
import { expect, test } from "bun:test";
import { playMany } from "./play-many.ts";
import { runSchedule } from "./run-schedule.ts";

/** Five seconds on a quiet machine. */
const schedules = 40;

test(`${schedules} schedules with workers that are lost come to rest, and break no rule`, async () => {
  const seeds = Array.from({ length: schedules }, (_, index) => index + 1);
  let lost = 0;
  const failed = await playMany(seeds, {
    play: (seed, options) => runSchedule(seed, { ...options, kind: "workers" }),
    isDone: ({ history }) => {
      lost += history.events.filter(({ type }) => type === "grant_retrying").length;
      return false;
    },
  });
  expect(failed.map(({ seed, needed, sentences }) => ({ seed, needed, sentences }))).toEqual([]);
  expect(lost).toBeGreaterThan(schedules / 5);
}, 600_000);
