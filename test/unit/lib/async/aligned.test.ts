// Rests that end together.
import { expect, test } from "bun:test";
import { alignedMs } from "../../../../lib/async/aligned.ts";

test("rests of whole seconds end together, whenever they begin", () => {
  for (const nowMs of [0, 1, 499, 501, 999, 123_456.7]) {
    for (const ms of [1_000, 2_000, 15_000]) {
      const rest = alignedMs(ms, nowMs);
      expect((nowMs + rest) % 1_000).toBeCloseTo(0);
      expect(Math.abs(rest - ms)).toBeLessThanOrEqual(500);
    }
  }
});

test("a short rest is as long as it says", () => {
  expect(alignedMs(250, 123.4)).toBe(250);
});
