// What tokens cost, in whole nano-dollars: exact sums, rounded up once for each call.
import type { Price } from "../model/config-models.ts";
import type { Usage } from "../model/model-call.ts";

/** `long_cache_write`: those of `cache_write` that Anthropic keeps for an hour, at twice the price of input. */
export type MeasuredUsage = Usage & { long_cache_write: number };

/** Nano-dollars; 0 where the price is not known. */
export function costOf(usage: MeasuredUsage, price: Price | undefined): number {
  if (price === undefined) return 0;
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

/** What input may cost at most, in US dollars for a million tokens. */
export function dearestInput(price: Price, hasLongCache: boolean): number {
  const prices = [price.input, price.cached_input ?? 0, price.cache_write ?? 0, hasLongCache ? longCachePrice(price) : 0];
  return Math.max(...prices);
}

/** Tokens, each with US dollars for a million of them → nano-dollars. */
export function nanosOf(parts: readonly (readonly [tokens: number, usdPerMillion: number])[]): number {
  // A millionth of a dollar for a million tokens is a pico-dollar for a token. Large sums of them are no safe numbers.
  const picos = parts.reduce((sum, [tokens, usd]) => sum + BigInt(tokens) * BigInt(Math.round(usd * 1_000_000)), 0n);
  return Number((picos + 999n) / 1_000n);
}

function longCachePrice(price: Price): number {
  return Math.max(2 * price.input, price.cache_write ?? 0);
}
