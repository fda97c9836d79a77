// Small texts of the page: sizes, counts, sums of money. Pure.
import { formatAmount, nanosPerUsd } from "../../../lib/model/amounts.ts";
import { money as moneyOf } from "../../../lib/words/money.ts";
import type { CostView } from "../data/contract.ts";

/** `312 B`, `4.2 kB`, `5.0 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `1 claim`, `3 claims`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** `$4.20`. */
export function dollars(usd: number): string {
  return formatAmount("nanousd", Math.round(usd * nanosPerUsd));
}

/** The API has money in US dollars. */
export function money({ usd, tokens, unpriced_calls, estimated_usd }: CostView): string {
  const [nanousd, estimated_nanousd] = [usd, estimated_usd].map((of) =>
    Math.round(of * nanosPerUsd),
  ) as [number, number];
  return moneyOf({ nanousd, tokens, unpriced_calls, estimated_nanousd });
}

/**
 * True where a word that a reader looks for begins an id: shorter ones, and what is within it, meet
 * ids by chance.
 */
export function isBeginOf(id: string, word: string): boolean {
  return word.length >= 4 && id.startsWith(word);
}
