// The price of tokens, in whole nano-dollars: exact sums, rounded up once for each call.
import type { Price } from "../model/config-models.ts";
import type { Usage } from "../model/model-call.ts";

type Rates = Omit<Price, "long_input">;

/**
 * `long_cache_write`: those of `cache_write` that Anthropic keeps for an hour, at twice the price
 * of input.
 */
export type MeasuredUsage = Usage & { long_cache_write: number };

export const noUsage: MeasuredUsage = {
  ...{ input: 0, output: 0, cached: 0 },
  ...{ cache_write: 0, reasoning: 0, long_cache_write: 0 },
};

/** Nano-dollars; 0 where the price is not known. */
export function costOf(usage: MeasuredUsage, prices: Price | undefined): number {
  if (prices === undefined) return 0;
  const price = ratesFor(prices, usage.input);
  const cached = Math.min(usage.cached, usage.input);
  const written = Math.min(usage.cache_write, usage.input - cached);
  const long = Math.min(usage.long_cache_write, written);
  return nanosOf([
    [usage.input - cached - written, price.input],
    [cached, price.cached_input ?? price.input],
    [written - long, price.cache_write ?? price.input],
    [long, longCachePrice(price)],
    [usage.output, price.output],
  ]);
}

/**
 * The most that input and output may cost, in US dollars for a million tokens. `maxInput`: the most
 * input that the call may have.
 */
export function dearestRates(
  price: Price,
  maxInput: number,
  hasLongCache: boolean,
): { input: number; output: number } {
  const possible = [price, ratesFor(price, maxInput)];
  const inputs = possible.flatMap((rates) => [
    rates.input,
    rates.cached_input ?? 0,
    rates.cache_write ?? 0,
    hasLongCache ? longCachePrice(rates) : 0,
  ]);
  return { input: Math.max(...inputs), output: Math.max(...possible.map(({ output }) => output)) };
}

/** All of a call's tokens have the prices for its input. */
function ratesFor(price: Price, input: number): Rates {
  const { long_input } = price;
  return long_input !== undefined && input > long_input.above ? long_input : price;
}

/** Tokens, each with US dollars for a million of them → nano-dollars. */
export function nanosOf(
  parts: readonly (readonly [tokens: number, usdPerMillion: number])[],
): number {
  // A millionth of a dollar for a million tokens is a pico-dollar for a token. Large sums of them
  // are no safe numbers.
  const picos = parts.reduce(
    (sum, [tokens, usd]) => sum + BigInt(tokens) * BigInt(Math.round(usd * 1_000_000)),
    0n,
  );
  return Number((picos + 999n) / 1_000n);
}

function longCachePrice(price: Rates): number {
  return Math.max(2 * price.input, price.cache_write ?? 0);
}
