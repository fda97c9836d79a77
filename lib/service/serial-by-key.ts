// Jobs of one key run one at a time and in order; jobs of different keys run side by side.

export class SerialByKey<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>();

  run<Result>(key: Key, job: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(job, job);
    const tail = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }

  /** Keys with jobs under way. */
  get size(): number {
    return this.#tails.size;
  }
}
