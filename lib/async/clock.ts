// The clock is passed in, so that code that depends on time can be tested without waiting.

export interface Clock {
  /** The time for records. The system's clock may be set forwards and back. */
  now(): Date;
  /** Milliseconds since some moment, for measuring durations: this clock cannot be set. */
  passedMs(): number;
}

export const systemClock: Clock = { now: () => new Date(), passedMs: () => performance.now() };
