// One run of one program, from its start to its end: who owns a timer, a connection or an answer
// under way?

export class Life {
  readonly name: string;
  readonly number: number;
  /** By how much its wall clock is ahead of the others. */
  clockMs = 0;
  isAlive = true;
  #deferred: (() => void)[] | undefined;
  readonly #atEnd: (() => void)[] = [];

  constructor(name: string, number: number) {
    this.name = name;
    this.number = number;
  }

  get isPaused(): boolean {
    return this.#deferred !== undefined;
  }

  /** Frozen: what happens to it waits until it is resumed. */
  pause(): void {
    this.#deferred ??= [];
  }

  /** Returns what has waited, in order: the caller has it happen. */
  resume(): (() => void)[] {
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    return deferred;
  }

  /** To be called while it is paused. */
  defer(run: () => void): void {
    this.#deferred?.push(run);
  }

  /** `job` is done when this life ends. */
  onEnd(job: () => void): void {
    this.#atEnd.push(job);
  }

  end(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#deferred = undefined;
    for (const job of this.#atEnd.splice(0)) job();
  }
}
