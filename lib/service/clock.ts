// Time and chance come in from outside, so that whatever uses them can be tested without waiting.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
