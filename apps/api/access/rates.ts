// How often a token may ask: a bucket of requests for each token, which fills again over a minute.
import type { Clock } from "../../../lib/async/clock.ts";
import { SettError } from "../../../lib/model/errors.ts";

const minuteMs = 60_000;
/** The callers of an identity provider may be any number. */
const maxBuckets = 10_000;

export class Rates {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Undefined where the token may ask now; else in how many seconds it may ask again. */
  take(name: string): number | undefined {
    const now = this.#clock.passedMs();
    const { left: before, at } = this.#buckets.get(name) ?? { left: this.#perMinute, at: now };
    const left = Math.min(this.#perMinute, before + ((now - at) * this.#perMinute) / minuteMs);
    // The last one that was used is the last in the map.
    this.#buckets.delete(name);
    if (this.#buckets.size >= maxBuckets)
      this.#buckets.delete(this.#buckets.keys().next().value ?? "");
    this.#buckets.set(name, { left: left < 1 ? left : left - 1, at: now });
    return left >= 1 ? undefined : Math.ceil(((1 - left) * minuteMs) / this.#perMinute / 1_000);
  }
}

export function tooMany(seconds: number): SettError {
  return new SettError("too-many-requests", "This token has sent too many requests.", {
    hint: `Try again in ${seconds === 1 ? "a second" : `${seconds} seconds`}.`,
  });
}
