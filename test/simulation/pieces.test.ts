// Schedules of lists of pieces, which those of the other seeds do not have.
import { expect, test } from "bun:test";
import { playMany } from "./play-many.ts";
import { runSchedule } from "./run-schedule.ts";

/** Five seconds on a quiet machine. */
const schedules = 25;

test(`${schedules} schedules with lists of pieces come to rest, and break no rule`, async () => {
  const seeds = Array.from({ length: schedules }, (_, index) => index + 1);
  let joins = 0;
  const failed = await playMany(seeds, {
    play: (seed, options) => runSchedule(seed, { ...options, kind: "pieces" }),
    isDone: ({ history }) => {
      joins += history.events.filter(({ type }) => type === "pieces_ended").length;
      return false;
    },
  });
  expect(failed.map(({ seed, needed, sentences }) => ({ seed, needed, sentences }))).toEqual([]);
  expect(joins).toBeGreaterThan(schedules);
}, 600_000);
