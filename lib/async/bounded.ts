// Several jobs at once, up to a maximum.

export class Bounded {
  readonly #max: () => number;
  readonly #running = new Set<Promise<void>>();

  constructor(max: () => number) {
    this.#max = max;
  }

  /**
   * Resolves when the job has started, which may wait for another to end. The job handles its own
   * failures: a rejection is a bug, and unhandled.
   */
  async start(job: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#max()) await Promise.race(this.#running);
    const running = job().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when every started job has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
