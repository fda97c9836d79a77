import { expect, test } from "bun:test";
import { agoOf, duration, formatAge } from "../../../../lib/words/age.ts";

test("an age just now is no ago", () => {
  expect(
    ["2026-01-01T00:00:00.000Z", "2025-12-31T23:59:00.000Z"].map((at) =>
      agoOf(at, Date.UTC(2026, 0, 1)),
    ),
  ).toEqual(["just now", "1m ago"]);
});

test("an age is written in the largest unit that fits", () => {
  const ages = [-5, 0, 999, 1_000, 59_999, 60_000, 3_600_000, 90_000_000];
  expect(ages.map(formatAge)).toEqual(["now", "now", "now", "1s", "59s", "1m", "1h", "1d"]);
});

test("durations and ages are in the units that people use", () => {
  expect([0, 42_000, 723_000, 11_045_000, 183_600_000, -5].map(duration)).toEqual([
    "0:00",
    "0:42",
    "12:03",
    "3:04:05",
    "2 d 3 h",
    "0:00",
  ]);
  const now = Date.parse("2026-11-24T12:00:00Z");
  expect(
    [0, 3, 300, 7_200, 200_000].map((seconds) =>
      agoOf(new Date(now - 1_000 * seconds).toISOString(), now),
    ),
  ).toEqual(["just now", "3s ago", "5m ago", "2h ago", "2d ago"]);
});
