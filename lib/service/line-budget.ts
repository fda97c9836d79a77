// Bounds how many lines of a log one source causes: it could fill a disk with them.
import type { Clock } from "../async/clock.ts";

const linesAtOnce = 100;
const refillMs = 100;

/** A hundred lines at once, and ten a second in the long run. */
export class LineBudget {
  readonly #clock: Clock;
  #left = linesAtOnce;
  #at: number;
  #omitted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.passedMs();
  }

  /**
   * How many lines were left out since the last one that may be written; undefined where this one
   * may not be written.
   */
  take(): number | undefined {
    const now = this.#clock.passedMs();
    const refilled = Math.floor((now - this.#at) / refillMs);
    this.#left = Math.min(linesAtOnce, this.#left + refilled);
    this.#at += refilled * refillMs;
    if (this.#left === 0) {
      this.#omitted += 1;
      return undefined;
    }
    this.#left -= 1;
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}
