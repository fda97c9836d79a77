// Whether time may be judged: only after unbroken contact, so that a laptop that slept or a Redis that was away fails nobody.
import type { Blackboard } from "../../lib/blackboard/port.ts";

/** A gap this long between two turns of a loop means that the whole process stood still. */
const sleepGapMs = 3_000;

export class Contact {
  #lastTurnAt: number;
  #awakeSince: number;
  readonly #board: Blackboard;
  readonly #now: () => number;

  constructor(board: Blackboard, now: () => number) {
    this.#board = board;
    this.#now = now;
    this.#lastTurnAt = now();
    this.#awakeSince = now();
  }

  /** To be called on every turn of the loop that judges. */
  turn(): void {
    const now = this.#now();
    if (now - this.#lastTurnAt > sleepGapMs) this.#awakeSince = now;
    this.#lastTurnAt = now;
  }

  /** True after contact has been unbroken, and this process awake, for `ms`. */
  hasLasted(ms: number): boolean {
    const since = this.#board.contactSince();
    // It slept, and whoever asks is awake before the loop that turns.
    if (this.#now() - this.#lastTurnAt > sleepGapMs) return false;
    return since !== undefined && this.#now() - Math.max(since, this.#awakeSince) >= ms;
  }
}
