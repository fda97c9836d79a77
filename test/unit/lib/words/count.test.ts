import { expect, test } from "bun:test";
import { formatCount } from "../../../../lib/words/count.ts";

test("large numbers are in groups of three digits", () => {
  const counts = [0, 7, 999, 1_000, 20_541, 100_000, 1_234_567];
  expect(counts.map(formatCount)).toEqual([
    ...["0", "7", "999", "1 000", "20 541", "100 000", "1 234 567"],
  ]);
});
