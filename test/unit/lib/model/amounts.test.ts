import { expect, test } from "bun:test";
import { minus, noAmounts, plus, raised } from "../../../../lib/model/amounts.ts";

const some = { nanousd: 5, tokens: 3, calls: 1 };

test("amounts are added kind by kind, and never fall below zero", () => {
  expect(plus(some, { nanousd: 1, tokens: 0, calls: 2 })).toEqual({
    nanousd: 6,
    tokens: 3,
    calls: 3,
  });
  expect(minus(some, { nanousd: 1, tokens: 4, calls: 1 })).toEqual({
    nanousd: 4,
    tokens: 0,
    calls: 0,
  });
  expect(plus(some, noAmounts)).toEqual(some);
});

test("limits are raised where there are any, and a missing limit stays missing", () => {
  expect(raised({ nanousd: 10, calls: 0 }, some)).toEqual({ nanousd: 15, calls: 1 });
});
