// Says how long to wait before trying again.

/**
 * Exponential, from `firstMs` doubling up to `maxMs`. `tries` is the number of failures so far,
 * from 1.
 */
export function backOffMs(
  tries: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
}
