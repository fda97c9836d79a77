// Schedules in which several people have to approve, which those of the other seeds do not have.
import { expect, test } from "bun:test";
import { playMany } from "./play-many.ts";
import { runSchedule } from "./run-schedule.ts";

/** Some seconds on a quiet machine. */
const schedules = 40;

test(`${schedules} schedules with approvals of several people come to rest, and break no rule`, async () => {
  const seeds = Array.from({ length: schedules }, (_, index) => index + 1);
  let [approved, askedAgain] = [0, 0];
  const failed = await playMany(seeds, {
    play: (seed, options) => runSchedule(seed, { ...options, kind: "quorum" }),
    isDone: ({ history }) => {
      for (const { type, actor, data = {} } of history.events) {
        if (type !== "grant_waiting" || data.approvals === undefined) continue;
        if (actor.startsWith("person:")) approved += 1;
        else if (Number(data.attempt) > 1) askedAgain += 1;
      }
      return false;
    },
  });
  expect(failed.map(({ seed, needed, sentences }) => ({ seed, needed, sentences }))).toEqual([]);
  expect(approved).toBeGreaterThan(schedules / 2);
  expect(askedAgain).toBeGreaterThan(0);
}, 600_000);
