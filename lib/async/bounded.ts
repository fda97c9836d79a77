// Several jobs side by side, but not more than so many.

export class Bounded {
  readonly #most: () => number;
  readonly #running = new Set<Promise<void>>();

  constructor(most: () => number) {
    this.#most = most;
  }

  /** Resolves when the job has begun, after waiting for room. The job handles its own failures: a rejection is a bug and goes unhandled. */
  async start(job: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most()) await Promise.race(this.#running);
    const running = job().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when everything that was begun has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
