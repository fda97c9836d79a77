import { expect, test } from "bun:test";
import { gatherMs, Pace } from "../../../../../apps/api/events/pace.ts";

/**
 * The waits after so many reads of `events` each, with `everyMs` between them besides the waits.
 */
function waits(
  pace: Pace,
  { reads, events, everyMs }: { reads: number; events: number; everyMs: number },
) {
  let nowMs = 0;
  return Array.from({ length: reads }, () => {
    const wait = pace.after(events, nowMs);
    nowMs += everyMs + wait;
    return wait;
  });
}

test("events that come one after another are read at once", () => {
  const all = waits(new Pace(), { reads: 2_000, events: 1, everyMs: 0.4 });
  expect(new Set(all)).toEqual(new Set([0]));
});

test("one goal at work is read at once", () => {
  const all = waits(new Pace(), { reads: 200, events: 3, everyMs: 30 });
  expect(new Set(all)).toEqual(new Set([0]));
});

test("many events in each read are gathered, until few come", () => {
  const pace = new Pace();
  const busy = waits(pace, { reads: 200, events: 10, everyMs: 3 });
  expect([busy[0], busy.at(-1)]).toEqual([0, gatherMs]);
  expect(busy.filter((wait) => wait === 0).length).toBeLessThan(50);
  expect(pace.after(1, 60_000)).toBe(0);
});
