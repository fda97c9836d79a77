// How each loop of a leadership goes on: it rests, outlives failures, and ends when the epoch is
// over.
import { alignedMs } from "../../../lib/async/aligned.ts";
import { backOffMs } from "../../../lib/async/back-off.ts";
import type { Clock } from "../../../lib/async/clock.ts";
import type { Doorbell } from "../../../lib/async/doorbell.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { isAway } from "../../../lib/service/until-contact.ts";

type Failing = { sinceMs: number; lastMs: number; reason: string };

/**
 * A loop that has not failed for so long goes on: some turns have no end. Longer than the longest
 * rest after a failure.
 */
const calmAfterMs = 15_000;

/** After the first failure; later ones rest longer. */
const failedRestMs = 250;

/**
 * Until the signal aborts. An unreachable Redis only delays a tick, another failure is logged;
 * Fenced rejects.
 */
export class Loops {
  readonly #log: JsonLog;
  readonly #clock: Pick<Clock, "passedMs">;
  /** The loops whose last turns have failed. */
  readonly #failing = new Set<Failing>();

  constructor(log: JsonLog, clock: Pick<Clock, "passedMs">) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The loop that has failed for the longest time, again and again; undefined where none fails. */
  get failing(): { reason: string; forMs: number } | undefined {
    const nowMs = this.#clock.passedMs();
    const failing = [...this.#failing].filter(({ lastMs }) => nowMs - lastMs < calmAfterMs);
    const [longest] = failing.sort((one, other) => one.sinceMs - other.sinceMs);
    return longest && { reason: longest.reason, forMs: Math.round(nowMs - longest.sinceMs) };
  }

  /**
   * Calls `tick` again and again, with rests of about `ms`, which end together with those of other
   * loops.
   */
  every(ms: number, signal: AbortSignal, tick: () => Promise<void>): Promise<void> {
    return this.again(signal, async () => {
      await tick();
      return ms;
    });
  }

  /** Calls `tick` again and again, with rests of as many milliseconds as it answers. */
  again(signal: AbortSignal, tick: () => Promise<number>): Promise<void> {
    return this.#repeat(signal, async () => sleep(this.#restMs(await tick()), signal));
  }

  /**
   * Calls `tick` whenever the bell has rung; where it does not ring, after as many milliseconds as
   * the tick before has answered.
   */
  whenRung(bell: Doorbell, signal: AbortSignal, tick: () => Promise<number>): Promise<void> {
    return this.#repeat(signal, async () => bell.wait(this.#restMs(await tick()), signal));
  }

  #restMs(ms: number): number {
    return alignedMs(ms, this.#clock.passedMs());
  }

  #note(failing: Failing, reason: string): void {
    const nowMs = this.#clock.passedMs();
    if (!this.#failing.has(failing) || nowMs - failing.lastMs >= calmAfterMs)
      failing.sinceMs = nowMs;
    failing.lastMs = nowMs;
    failing.reason = reason;
    this.#failing.add(failing);
  }

  async #repeat(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    const failing: Failing = { sinceMs: 0, lastMs: Number.NEGATIVE_INFINITY, reason: "" };
    for (let failures = 0; !signal.aborted; ) {
      try {
        await turn();
        failures = 0;
        this.#failing.delete(failing);
      } catch (error) {
        if (error instanceof Fenced) throw error;
        failures++;
        // That Redis is away is known, and says nothing about the loop.
        if (isAway(error)) this.#failing.delete(failing);
        else {
          this.#log.error("A loop failed; trying again", { error, failures });
          this.#note(failing, messageOf(error));
        }
        await sleep(backOffMs(failures, { firstMs: failedRestMs, maxMs: 5_000 }), signal);
      }
    }
  }
}
