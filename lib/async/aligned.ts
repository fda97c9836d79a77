// Rests that end together: each time that a process at rest wakes costs more than what it then
// does.

const gridMs = 1_000;

/**
 * About `ms`, so that it ends at a whole second of this clock, as all other rests of the process do
 * that are made with this. A short rest stays as it is.
 */
export function alignedMs(ms: number, nowMs: number): number {
  if (ms < gridMs) return ms;
  return Math.round((nowMs + ms) / gridMs) * gridMs - nowMs;
}
