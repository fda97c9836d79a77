import { expect, test } from "bun:test";
import { chargeOf } from "../../../../apps/gateway/charge.ts";

const price = { input: 2, output: 10 };
const terms = { bound: { input: 1_000, output: 100 }, reserved: { nanousd: 3_000_000, tokens: 1_100, calls: 1 }, price };
const usage = { input: 500, output: 10, cached: 0, cache_write: 0, reasoning: 4, long_cache_write: 0 };

test("what the provider has reported is what the call costs", () => {
  expect(chargeOf({ usage, mayHaveCost: true, tries: 1 }, terms)).toEqual({
    usage: { input: 500, output: 10, cached: 0, cache_write: 0, reasoning: 4 },
    cost: { nanousd: 1_100_000, tokens: 510, calls: 1 },
    is_estimated: false,
    is_unpriced: false,
  });
});

test("where it has reported nothing, the call costs what was reserved", () => {
  expect(chargeOf({ mayHaveCost: true, tries: 1 }, terms)).toMatchObject({
    cost: terms.reserved,
    is_estimated: true,
    usage: { input: 1_000, output: 100 },
  });
});

test("where it has reported the input alone, the output is what was reserved", () => {
  const begun = { ...usage, output: 1 };
  expect(chargeOf({ begun, mayHaveCost: true, tries: 1 }, terms)).toMatchObject({
    cost: { nanousd: 2_000_000, tokens: 600, calls: 1 },
    is_estimated: true,
  });
});

test("a call that reached no model costs no money, and counts as a call", () => {
  expect(chargeOf({ mayHaveCost: false, tries: 3 }, terms)).toMatchObject({
    cost: { nanousd: 0, tokens: 0, calls: 1 },
    is_estimated: false,
  });
});

test("what the provider was never asked is no call", () => {
  expect(chargeOf({ mayHaveCost: false, tries: 0 }, terms).cost).toEqual({ nanousd: 0, tokens: 0, calls: 0 });
});

test("without a price only tokens and calls count", () => {
  const free = { ...terms, price: undefined, reserved: { ...terms.reserved, nanousd: 0 } };
  expect(chargeOf({ usage, mayHaveCost: true, tries: 1 }, free)).toMatchObject({
    cost: { nanousd: 0, tokens: 510, calls: 1 },
    is_unpriced: true,
  });
});
