import { expect, test } from "bun:test";
import { byteSize, money } from "../../../../../apps/page/text/words.ts";

test("sizes and sums are short", () => {
  expect([312, 4_200, 5_000_000].map(byteSize)).toEqual(["312 B", "4.2 kB", "5.0 MB"]);
  expect(money({ usd: 0.42, tokens: 10, calls: 1, unpriced_calls: 0, estimated_usd: 0 })).toBe(
    "$0.42",
  );
  expect(money({ usd: 0.0012, tokens: 10, calls: 1, unpriced_calls: 0, estimated_usd: 0 })).toBe(
    "$0.0012",
  );
  expect(money({ usd: 0, tokens: 12_300, calls: 2, unpriced_calls: 2, estimated_usd: 0 })).toBe(
    "12.3k tokens",
  );
});
