// How long to wait before trying again.

/** Exponential, from `firstMs` doubling up to `mostMs`. `tries` is the number of failures so far, from 1. */
export function backOffMs(tries: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30));
}
