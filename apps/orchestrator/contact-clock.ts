// Whether time may be judged: only after unbroken contact and by clocks that run on, so that a laptop that slept, a Redis that was away or a
// clock that somebody set fails nobody.
import type { Blackboard } from "../../lib/blackboard/port.ts";

/** A gap this long between two turns of a loop means that the whole process stood still. */
const sleepGapMs = 3_000;

/** Redis' clock and ours come apart by so much at once only where somebody has set it, or a machine has slept. */
const maxDriftMs = 1_000;

export class Contact {
  #lastTurnMs: number;
  #soundSinceMs: number;
  /** Redis' clock, seen from ours. */
  #aheadMs: number | undefined;
  readonly #board: Blackboard;
  readonly #nowMs: () => number;

  /** `nowMs`: of a clock that nobody sets. */
  constructor(board: Blackboard, nowMs: () => number) {
    this.#board = board;
    this.#nowMs = nowMs;
    this.#lastTurnMs = nowMs();
    this.#soundSinceMs = nowMs();
  }

  /** To be called on every turn of the loop that judges, with the time that Redis tells. By how much its clock was set since the last one. */
  turn(redisMs: number): number {
    const nowMs = this.#nowMs();
    const aheadMs = redisMs - nowMs;
    const stepMs = aheadMs - (this.#aheadMs ?? aheadMs);
    const isSet = Math.abs(stepMs) > maxDriftMs;
    if (isSet || nowMs - this.#lastTurnMs > sleepGapMs) this.#soundSinceMs = nowMs;
    this.#lastTurnMs = nowMs;
    this.#aheadMs = aheadMs;
    return isSet ? stepMs : 0;
  }

  /** True after contact has been unbroken, this process awake and Redis' clock left alone for `ms`. */
  hasLasted(ms: number): boolean {
    const since = this.#board.contactSince();
    // It slept, and whoever asks is awake before the loop that turns.
    if (this.#nowMs() - this.#lastTurnMs > sleepGapMs) return false;
    return since !== undefined && this.#nowMs() - Math.max(since, this.#soundSinceMs) >= ms;
  }
}
