import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { costOf, dearestRates, noUsage } from "../../../../lib/models/cost.ts";

const price = { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 };

describe("the cost of a call", () => {
  test("each kind of token has its own price, and cached input is a part of the input", () => {
    // 500 fresh at 3, 400 cached at 0.3, 100 written at 3.75, 50 output at 15, in nano-dollars for
    // a token: 1000 times as much.
    const usage = {
      ...noUsage,
      input: 1_000,
      cached: 400,
      cache_write: 100,
      output: 50,
      reasoning: 20,
    };
    expect(costOf(usage, price)).toBe(1_500_000 + 120_000 + 375_000 + 750_000);
  });

  test("what has no price of its own has that of input, and a model without a price costs nothing", () => {
    expect(
      costOf({ ...noUsage, input: 10, cached: 4, cache_write: 3 }, { input: 2, output: 1 }),
    ).toBe(20_000);
    expect(costOf({ ...noUsage, input: 10, output: 10 }, undefined)).toBe(0);
  });

  test("Anthropic's cache for an hour costs twice the input", () => {
    expect(costOf({ ...noUsage, input: 10, cache_write: 10, long_cache_write: 4 }, price)).toBe(
      6 * 3_750 + 4 * 6_000,
    );
  });

  test("a call with long input has the other prices for all of its tokens", () => {
    const tiered = { ...price, long_input: { above: 100, input: 6, output: 22.5 } };
    expect(costOf({ ...noUsage, input: 100, output: 10 }, tiered)).toBe(100 * 3_000 + 10 * 15_000);
    expect(costOf({ ...noUsage, input: 101, cached: 1, output: 10 }, tiered)).toBe(
      101 * 6_000 + 10 * 22_500,
    );
  });

  test("a part of a nano-dollar counts as a whole one, once for each call", () => {
    expect(costOf({ ...noUsage, input: 1, output: 1 }, { input: 0.0001, output: 0.0001 })).toBe(1);
  });
});

test("no call within its bounds costs more than by the dearest prices", () => {
  const rate = fc.integer({ min: 0, max: 50_000 }).map((milli) => milli / 1_000);
  const rates = { input: rate, output: rate, cached_input: rate, cache_write: rate };
  const prices = fc.record(
    { ...rates, long_input: fc.record({ ...rates, above: fc.integer({ min: 1, max: 2_000 }) }) },
    { requiredKeys: ["input", "output"] },
  );
  const count = fc.nat({ max: 1_000 });
  fc.assert(
    fc.property(
      prices,
      count,
      count,
      count,
      count,
      fc.boolean(),
      (given, fresh, cached, written, output, hasLong) => {
        const usage = {
          ...noUsage,
          input: fresh + cached + written,
          cached,
          cache_write: written,
          output,
        };
        const dearest = dearestRates(given, usage.input, hasLong);
        const long_cache_write = hasLong ? written : 0;
        const most = usage.input * dearest.input * 1_000 + output * dearest.output * 1_000;
        expect(costOf({ ...usage, long_cache_write }, given)).toBeLessThanOrEqual(
          Math.ceil(most) + 1,
        );
        // Also one with less input, whose prices may be the others.
        expect(
          costOf({ ...noUsage, input: Math.floor(usage.input / 2) }, given),
        ).toBeLessThanOrEqual(Math.ceil(most) + 1);
      },
    ),
  );
});
