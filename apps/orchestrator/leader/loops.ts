// The loops of a leader, and what runs them: each one rests, outlives its failures, and ends with
// the others when the epoch is over.
import { alignedMs } from "../../../lib/async/aligned.ts";
import { backOffMs } from "../../../lib/async/back-off.ts";
import type { Clock } from "../../../lib/async/clock.ts";
import type { Doorbell } from "../../../lib/async/doorbell.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { isAway } from "../../../lib/service/until-contact.ts";

/**
 * The rest of a loop whose bell rings when it has something to do: a bell that did not ring must
 * cost no more than a delay.
 */
export const restMs = 15_000;

/** When the next turn begins: `ms` after the last one has ended, or as soon as the bell rings. */
export type When = { ms: number; bell?: Doorbell };

/** `ms`: about so long, because rests of several loops end together. */
export function every(ms: number): When {
  return { ms };
}

/** `ms`: the rest while the bell does not ring. */
export function rung(bell: Doorbell, ms = restMs): When {
  return { ms, bell };
}

export type Loop = {
  name: string;
  when: When;
  /**
   * One turn, which ends with the signal. A follower's turn lasts until then. Resolves with the
   * milliseconds until the next turn, where these differ from `when`.
   */
  runOnce: (signal: AbortSignal) => Promise<number> | Promise<void>;
};

type Failing = { loop: string; sinceMs: number; lastMs: number; reason: string };

/**
 * A loop that has not failed for so long goes on: some turns have no end. Longer than the longest
 * rest after a failure.
 */
const calmAfterMs = 15_000;

/** The rest after the first failure; later ones are longer. */
const failedRest = { firstMs: 250, maxMs: 5_000 };

export class LoopRunner {
  readonly #log: JsonLog;
  readonly #clock: Pick<Clock, "passedMs">;
  readonly #onTurn: (loop: string) => void;
  /** By name: the loops whose last turns have failed. */
  readonly #failing = new Map<string, Failing>();

  /** `onTurn`: the signal of a test, called at the end of each turn. */
  constructor(
    { log, clock }: { log: JsonLog; clock: Pick<Clock, "passedMs"> },
    onTurn: (loop: string) => void = () => {},
  ) {
    this.#log = log;
    this.#clock = clock;
    this.#onTurn = onTurn;
  }

  /**
   * Runs all of them until the signal aborts; rejects with Fenced once one of them does, when all
   * have ended. An unreachable Redis only delays a turn, any other failure is logged.
   */
  async run(loops: readonly Loop[], signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const running = loops.map((loop) => this.#repeat(loop, ending));
    try {
      await Promise.all(running);
    } finally {
      over.abort();
      await Promise.allSettled(running);
    }
  }

  /** The loop that has failed for the longest time, again and again; undefined where none fails. */
  get failing(): { loop: string; reason: string; forMs: number } | undefined {
    const nowMs = this.#clock.passedMs();
    const failing = [...this.#failing.values()].filter(
      ({ lastMs }) => nowMs - lastMs < calmAfterMs,
    );
    const [longest] = failing.sort((one, other) => one.sinceMs - other.sinceMs);
    if (longest === undefined) return undefined;
    const { loop, reason, sinceMs } = longest;
    return { loop, reason, forMs: Math.round(nowMs - sinceMs) };
  }

  async #repeat({ name, when, runOnce }: Loop, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const ms = (await runOnce(signal)) ?? when.ms;
        failures = 0;
        this.#failing.delete(name);
        this.#onTurn(name);
        await this.#rest({ ...when, ms }, signal);
      } catch (error) {
        if (error instanceof Fenced) throw error;
        failures++;
        // That Redis is away is known, and says nothing about the loop.
        if (isAway(error)) this.#failing.delete(name);
        else {
          this.#log.error("A loop failed; trying again", { loop: name, error, failures });
          this.#note(name, messageOf(error));
        }
        this.#onTurn(name);
        await sleep(backOffMs(failures, failedRest), signal);
      }
    }
  }

  #rest({ ms, bell }: When, signal: AbortSignal): Promise<void> {
    const rest = alignedMs(ms, this.#clock.passedMs());
    return bell === undefined ? sleep(rest, signal) : bell.wait(rest, signal);
  }

  #note(loop: string, reason: string): void {
    const lastMs = this.#clock.passedMs();
    const before = this.#failing.get(loop);
    const isNew = before === undefined || lastMs - before.lastMs >= calmAfterMs;
    this.#failing.set(loop, { loop, reason, lastMs, sinceMs: isNew ? lastMs : before.sinceMs });
  }
}
