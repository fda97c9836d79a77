import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { cronProblem, dueRuns, nextRun } from "../../../../lib/triggers/cron-times.ts";
import { isNight } from "../../../support/nightly.ts";

const berlin = "Europe/Berlin";
const due = (cron: string, from: string, now: string, time_zone = berlin) => {
  const runs = dueRuns({ cron, time_zone }, new Date(from), new Date(now));
  return runs && [runs.latest.toISOString(), runs.earlier];
};
/** The next runs, each as its time in UTC. */
const runsOf = (cron: string, from: string, count: number, time_zone = berlin) => {
  const runs: string[] = [];
  for (let at = new Date(from); runs.length < count; ) {
    const next = nextRun({ cron, time_zone }, at);
    if (next === undefined) break;
    runs.push(next.toISOString().replace(":00.000Z", ""));
    at = next;
  }
  return runs;
};

test("a run is due from its minute on, and not before", () => {
  expect(due("0 3 * * *", "2026-11-24T00:00:00Z", "2026-11-24T01:59:59.999Z")).toBeUndefined();
  expect(due("0 3 * * *", "2026-11-24T00:00:00Z", "2026-11-24T02:00:00.000Z")).toEqual([
    "2026-11-24T02:00:00.000Z",
    0,
  ]);
  expect(due("0 3 * * *", "2026-11-24T02:00:00Z", "2026-11-24T23:00:00.000Z")).toBeUndefined();
});

test("of several runs that are due the newest counts, and the others are counted", () => {
  expect(due("0 3 * * *", "2026-11-20T12:00:00Z", "2026-11-24T12:00:00Z")).toEqual([
    "2026-11-24T02:00:00.000Z",
    3,
  ]);
  expect(due("* * * * *", "2020-01-01T00:00:00Z", "2026-11-24T12:00:30Z")).toEqual([
    "2026-11-24T12:00:00.000Z",
    1_000,
  ]);
});

test("a time that the change to summer time leaves out runs at its end, once", () => {
  expect(runsOf("30 2 * * *", "2026-03-28T00:00:00Z", 3)).toEqual([
    "2026-03-28T01:30",
    "2026-03-29T01:00",
    "2026-03-30T00:30",
  ]);
  expect(due("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toEqual([
    "2026-03-29T01:00:00.000Z",
    0,
  ]);
});

test("a time that comes twice when summer time ends runs once, the first time", () => {
  expect(runsOf("30 2 * * *", "2026-10-24T12:00:00Z", 2)).toEqual([
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ]);
  expect(due("30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T23:00:00Z")).toBeUndefined();
});

test("what runs every half hour does so through both changes of the clock", () => {
  const halfHours = [
    "2026-10-25T00:00",
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-25T02:00",
  ];
  expect(runsOf("*/30 * * * *", "2026-10-24T23:30:00Z", 5)).toEqual(halfHours);
  expect(runsOf("*/30 * * * *", "2026-03-29T00:00:00Z", 3)).toEqual([
    "2026-03-29T00:30",
    "2026-03-29T01:00",
    "2026-03-29T01:30",
  ]);
});

test.each([
  [
    "0 2,14 * * *",
    ["2026-03-29T01:00", "2026-03-29T12:00"],
    ["2026-10-25T00:00", "2026-10-25T13:00"],
  ],
  ["10,50 2 * * *", ["2026-03-29T01:00"], ["2026-10-25T00:10", "2026-10-25T00:50"]],
  [
    "30 2,4 * * *",
    ["2026-03-29T01:00", "2026-03-29T02:30"],
    ["2026-10-25T00:30", "2026-10-25T03:30"],
  ],
  ["0,30 2 * * *", ["2026-03-29T01:00"], ["2026-10-25T00:00", "2026-10-25T00:30"]],
  [
    "0,30 2,3 * * *",
    ["2026-03-29T01:00", "2026-03-29T01:30"],
    ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T02:00", "2026-10-25T02:30"],
  ],
  ["*/30 2 * * *", ["2026-03-29T01:00"], ["2026-10-25T00:00", "2026-10-25T00:30"]],
  [
    "0 */2 * * 0",
    ["2026-03-28T23:00", "2026-03-29T01:00", "2026-03-29T02:00"],
    ["2026-10-24T22:00", "2026-10-25T00:00", "2026-10-25T03:00"],
  ],
])(
  "each of several times of the day comes once on the days of both changes: %s",
  (cron, spring, autumn) => {
    expect(runsOf(cron, "2026-03-28T22:00:00Z", spring.length)).toEqual(spring);
    expect(runsOf(cron, "2026-10-24T21:00:00Z", autumn.length)).toEqual(autumn);
    for (const runs of [spring, autumn]) {
      const from = new Date(Date.parse(`${runs[0]}:00Z`) - 60_000).toISOString();
      expect(due(cron, from, `${runs.at(-1)}:59Z`)).toEqual([
        `${runs.at(-1)}:00.000Z`,
        runs.length - 1,
      ]);
    }
  },
);

test("in the hour that comes again, the newest run is that of the first time where the hour is named", () => {
  expect(due("50 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T01:10:00Z")).toEqual([
    "2026-10-25T00:50:00.000Z",
    0,
  ]);
  expect(due("50 * * * *", "2026-10-24T23:59:00Z", "2026-10-25T01:50:00Z")).toEqual([
    "2026-10-25T01:50:00.000Z",
    1,
  ]);
});

test("the 29th of February runs in leap years", () => {
  expect(runsOf("0 12 29 2 *", "2026-01-01T00:00:00Z", 2, "UTC")).toEqual([
    "2028-02-29T12:00",
    "2032-02-29T12:00",
  ]);
  expect(due("0 12 29 2 *", "2023-01-01T00:00:00Z", "2028-12-01T00:00:00Z", "UTC")).toEqual([
    "2028-02-29T12:00:00.000Z",
    1,
  ]);
});

test("a date that no year has never runs", () => {
  expect(nextRun({ cron: "0 0 30 2 *", time_zone: "UTC" }, new Date("2026-01-01"))).toBeUndefined();
  expect(due("0 0 30 2 *", "2026-01-01T00:00:00Z", "2040-01-01T00:00:00Z")).toBeUndefined();
});

test("time zones with odd offsets, and zones without summer time, are right", () => {
  expect(runsOf("0 3 * * *", "2026-07-01T00:00:00Z", 1, "Asia/Kathmandu")).toEqual([
    "2026-07-01T21:15",
  ]);
  expect(runsOf("0 3 * * 1", "2026-07-01T00:00:00Z", 1, "Pacific/Kiritimati")).toEqual([
    "2026-07-05T13:00",
  ]);
});

test("only five fields are an expression", () => {
  expect(cronProblem("0 3 * * 1-5")).toBeUndefined();
  for (const wrong of [
    "",
    "0 3 * *",
    "0 0 3 * * *",
    "61 * * * *",
    "0 3 * * blue",
    "every day",
    "@daily",
    "@hourly",
    "* * * * *; rm -rf /",
  ])
    expect(cronProblem(wrong)).toStartWith("must be five fields: ");
});

// A leap of weeks has thousands of runs to count.
setDefaultTimeout(120_000);

test("whenever it looks, no run is lost or comes twice", () => {
  const minutes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 });
  const expressions = fc.constantFrom(
    "*/7 * * * *",
    "30 2 * * *",
    "0 0 * * 0",
    "15 1-5 * * *",
    "5,35 * * * *",
    "10,50 2 * * *",
    "0 2,14 * * *",
    "59 23 31 * *",
  );
  const zones = fc.constantFrom(berlin, "UTC", "America/New_York", "Australia/Lord_Howe");
  fc.assert(
    fc.property(minutes, expressions, zones, (steps, cron, time_zone) => {
      const begin = new Date("2026-10-24T00:00:00Z");
      let [from, now, count] = [begin, begin, 0];
      for (const step of steps) {
        now = new Date(now.getTime() + step * 60_000);
        const runs = dueRuns({ cron, time_zone }, from, now);
        if (runs === undefined) continue;
        expect(runs.latest.getTime()).toBeGreaterThan(from.getTime());
        expect(runs.latest.getTime()).toBeLessThanOrEqual(now.getTime());
        count += runs.earlier + 1;
        from = runs.latest;
      }
      let all = 0;
      for (
        let at = nextRun({ cron, time_zone }, begin);
        at !== undefined && at <= now;
        at = nextRun({ cron, time_zone }, at)
      )
        all += 1;
      // At most a thousand missed runs are counted at a time, and no step has as many.
      expect(count).toBe(all);
    }),
    { numRuns: isNight ? 12 : 4 },
  );
});
