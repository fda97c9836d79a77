import { expect, test } from "bun:test";
import { agoOf, formatAge } from "../../../../../lib/client/text/age.ts";

test("an age just now is no ago", () => {
  expect(["2026-01-01T00:00:00.000Z", "2025-12-31T23:59:00.000Z"].map((at) => agoOf(at, Date.UTC(2026, 0, 1)))).toEqual([
    "just now",
    "1m ago",
  ]);
});

test("an age is written in the largest unit that fits", () => {
  const ages = [-5, 0, 999, 1_000, 59_999, 60_000, 3_600_000, 90_000_000];
  expect(ages.map(formatAge)).toEqual(["now", "now", "now", "1s", "59s", "1m", "1h", "1d"]);
});
