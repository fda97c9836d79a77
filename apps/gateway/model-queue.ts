// At most so many calls of one model at once; the others wait, first come first served.

export class ModelQueue {
  readonly #max: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves with the function that gives the place back, which may be called twice. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running < this.#max) this.#running++;
    else await this.#turn(signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave();
    };
  }

  /** Resolves when the place of another call has become this one's. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      this.#waiting.add(begin);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
