// How each loop of a leadership goes on: it rests, outlives failures, and ends when the epoch is over.
import { backOffMs } from "../../lib/async/back-off.ts";
import type { Doorbell } from "../../lib/async/doorbell.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { Fenced } from "./deps.ts";

/** After the first failure; later ones rest longer. */
const failedRestMs = 250;

/** Until the signal aborts. An unreachable Redis only delays a tick, another failure is logged; Fenced rejects. */
export class Loops {
  readonly #log: JsonLog;

  constructor(log: JsonLog) {
    this.#log = log;
  }

  /** Calls `tick` again and again, with rests of `ms`. */
  every(ms: number, signal: AbortSignal, tick: () => Promise<void>): Promise<void> {
    return this.#repeat(signal, async () => {
      await tick();
      await sleep(ms, signal);
    });
  }

  /** Calls `tick` whenever the bell has rung; where it does not ring, after as many milliseconds as the tick before has answered. */
  whenRung(bell: Doorbell, signal: AbortSignal, tick: () => Promise<number>): Promise<void> {
    return this.#repeat(signal, async () => bell.wait(await tick(), signal));
  }

  async #repeat(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await turn();
        failures = 0;
      } catch (error) {
        if (error instanceof Fenced) throw error;
        failures++;
        if (!isAway(error)) this.#log.error("A loop failed; trying again", { error, failures });
        await sleep(backOffMs(failures, { firstMs: failedRestMs, maxMs: 5_000 }), signal);
      }
    }
  }
}
