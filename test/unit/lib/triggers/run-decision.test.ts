import { expect, test } from "bun:test";
import { type CronTrigger, TriggerName } from "../../../../lib/model/trigger.ts";
import { decideRun, scheduleOf } from "../../../../lib/triggers/run-decision.ts";

const trigger: CronTrigger = {
  kind: "cron",
  name: TriggerName.parse("nightly"),
  cron: "0 3 * * *",
  time_zone: "UTC",
  missed: "once",
  goal: "Sweep",
};
const schedule = scheduleOf(trigger);
const from = new Date("2026-11-20T03:00:00Z");
const decide = (now: string, over: Partial<CronTrigger> = {}) =>
  decideRun({ ...trigger, ...over }, { schedule, from }, new Date(now));

test("a trigger that is new begins now, and so does one whose times were changed", () => {
  expect(decideRun(trigger, undefined, new Date("2026-11-24T12:00:00Z"))).toEqual({
    kind: "begin",
    schedule,
  });
  for (const over of [{ cron: "0 4 * * *" }, { time_zone: "Europe/Berlin" }])
    expect(decide("2026-11-24T12:00:00Z", over)).toEqual({
      kind: "begin",
      schedule: scheduleOf({ ...trigger, ...over }),
    });
});

test("a run on time is a run, up to a minute after its time", () => {
  const at = new Date("2026-11-21T03:00:00Z");
  expect(decide("2026-11-21T02:59:59Z")).toEqual({ kind: "wait" });
  expect(decide("2026-11-21T03:01:00Z")).toEqual({ kind: "run", at, missed: 0 });
  expect(decide("2026-11-21T03:01:00Z", { missed: "skip" })).toEqual({
    kind: "run",
    at,
    missed: 0,
  });
});

test("missed runs are one run, or none", () => {
  const at = new Date("2026-11-23T03:00:00Z");
  expect(decide("2026-11-23T12:00:00Z")).toEqual({ kind: "run", at, missed: 3 });
  const reason = "3 runs were missed: nothing looked at the time, and `missed` is `skip`.";
  expect(decide("2026-11-23T12:00:00Z", { missed: "skip" })).toEqual({ kind: "skip", at, reason });
  expect(decide("2026-11-21T03:02:00Z", { missed: "skip" })).toMatchObject({
    kind: "skip",
    reason: expect.stringMatching(/^The run was missed:/),
  });
});

test("a run on time also makes up for those that were missed before it, where they count", () => {
  const at = new Date("2026-11-23T03:00:00Z");
  expect(decide("2026-11-23T03:00:10Z")).toEqual({ kind: "run", at, missed: 2 });
});

test("where missed runs do not count, they are dealt with before the run that is on time", () => {
  const [at, last] = [new Date("2026-11-23T03:00:00Z"), new Date("2026-11-22T03:00:00Z")];
  const reason = "2 runs were missed: nothing looked at the time, and `missed` is `skip`.";
  const now = new Date("2026-11-23T03:00:10Z");
  expect(decideRun({ ...trigger, missed: "skip" }, { schedule, from }, now)).toEqual({
    kind: "skip",
    at: last,
    reason,
  });
  expect(decideRun({ ...trigger, missed: "skip" }, { schedule, from: last }, now)).toEqual({
    kind: "run",
    at,
    missed: 0,
  });
});
