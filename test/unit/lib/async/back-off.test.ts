import { expect, test } from "bun:test";
import { backOffMs } from "../../../../lib/async/back-off.ts";

test("the first failure waits the first time, and each further one twice as long", () => {
  expect([1, 2, 3, 4].map((tries) => backOffMs(tries, { firstMs: 100, maxMs: 60_000 }))).toEqual([
    100, 200, 400, 800,
  ]);
});

test("no wait is longer than the maximum, however many tries have failed", () => {
  const waits = [4, 5, 6, 31, 1_000, 1_000_000].map((tries) =>
    backOffMs(tries, { firstMs: 100, maxMs: 1_000 }),
  );
  expect(waits).toEqual([800, 1_000, 1_000, 1_000, 1_000, 1_000]);
});

test("a first time above the maximum is cut to it", () => {
  expect(backOffMs(1, { firstMs: 500, maxMs: 200 })).toBe(200);
});
