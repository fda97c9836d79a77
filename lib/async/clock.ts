// Time and chance come in from outside, so that whatever uses them can be tested without waiting.

export interface Clock {
  /** What stands in records: anybody may set it, forwards and back. */
  now(): Date;
  /** Milliseconds since some moment, to measure by how much time has passed: nobody sets it. */
  passedMs(): number;
}

export const systemClock: Clock = { now: () => new Date(), passedMs: () => performance.now() };
