// Whether a loop makes progress: `/healthz` and the heartbeat report it.

/**
 * A loop is idle (always healthy) or has work. A loop that has work must mark its progress often.
 */
export class LoopWatch {
  readonly name: string;
  readonly #now: () => number;
  #progressAtMs: number | undefined;
  #trouble: string | undefined;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(name: string, now: () => number) {
    this.name = name;
    this.#now = now;
  }

  /** The loop has begun a piece of work, or has done one step of it. */
  markProgress(): void {
    this.#progressAtMs = this.#now();
  }

  /** The loop waits for work. */
  markIdle(): void {
    this.#progressAtMs = undefined;
  }

  /**
   * So much of the time that has passed was none for this process: it was stopped, or its machine
   * was.
   */
  leaveOut(ms: number): void {
    if (this.#progressAtMs !== undefined)
      this.#progressAtMs = Math.min(this.#now(), this.#progressAtMs + ms);
  }

  get isBusy(): boolean {
    return this.#progressAtMs !== undefined;
  }

  /**
   * The sentence says what keeps the loop from its work, though it tries again; undefined when it
   * has done it.
   */
  noteTrouble(sentence: string | undefined): void {
    this.#trouble = sentence;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** For how long the loop has had work without progress, in milliseconds; 0 while it is idle. */
  silentMs(): number {
    return this.#progressAtMs === undefined ? 0 : this.#now() - this.#progressAtMs;
  }
}
