// Chance that can be repeated: the same seed draws the same numbers.

export type Random = {
  /** At least `low`, below `high`. */
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  whole(low: number, high: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
};

/** The generator is mulberry32: small, fast, good enough to choose faults by. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    between: (low, high) => low + next() * (high - low),
    whole,
    chance: (share) => next() < share,
    pick: (values) => values[whole(0, values.length - 1)] ?? values[0],
  };
}
