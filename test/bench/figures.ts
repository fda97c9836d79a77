// Small statistics over samples in milliseconds.

/** The value below which `share` of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5);

/** Unix milliseconds with a fraction, comparable between processes of one machine. */
export const now = () => performance.timeOrigin + performance.now();

export const rounded = (value: number, digits = 3) => Number(value.toFixed(digits));
