// At most so many calls of one model at once. The others wait: the agent with the fewest calls
// under way comes first, and of its calls the first one, so that an agent with many keeps no other
// waiting.

type Waiting = { agent: string; begin: () => void };

export class ModelQueue {
  readonly #max: number;
  /** By agent. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(max: number) {
    this.#max = max;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Resolves with the function that gives the place back, which may be called twice. Rejects with
   * the signal's reason.
   */
  async enter(agent: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.running < this.#max) this.#add(agent, 1);
    else await this.#turn(agent, signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave(agent);
    };
  }

  /** Resolves when the place of another call has become this one's. */
  #turn(agent: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { agent, begin };
      const leave = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #leave(agent: string): void {
    this.#add(agent, -1);
    const next = this.#next();
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#add(next.agent, 1);
    next.begin();
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (next === undefined || this.#runningOf(waiting.agent) < this.#runningOf(next.agent))
        next = waiting;
    }
    return next;
  }

  #add(agent: string, count: number): void {
    this.#running.set(agent, this.#runningOf(agent) + count);
  }

  #runningOf(agent: string): number {
    return this.#running.get(agent) ?? 0;
  }
}
