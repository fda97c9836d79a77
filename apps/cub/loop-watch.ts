// Whether a loop still turns: the honest answer behind `/healthz` and the heartbeat.

/** A loop that waits for something to do is well; one that has work must say often enough that it gets on with it. */
export class LoopWatch {
  readonly name: string;
  readonly #now: () => number;
  #turnedAt: number | undefined;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(name: string, now: () => number) {
    this.name = name;
    this.#now = now;
  }

  /** The loop has taken up work, or got one step further with it. */
  turn(): void {
    this.#turnedAt = this.#now();
  }

  /** Nothing to do. */
  rest(): void {
    this.#turnedAt = undefined;
  }

  get isBusy(): boolean {
    return this.#turnedAt !== undefined;
  }

  /** For how long the loop has had work without a turn, in milliseconds. */
  silentMs(): number {
    return this.#turnedAt === undefined ? 0 : this.#now() - this.#turnedAt;
  }
}
