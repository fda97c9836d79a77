// Jobs of one key run one at a time and in order; jobs of different keys run at the same time.

export class SerialByKey<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>();

  run<Result>(key: Key, job: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const result = before === undefined ? job() : before.then(job, job);
    this.#tails.set(key, result);
    const forget = () => {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    };
    // The caller gets a failure from the returned promise.
    result.then(forget, forget);
    return result;
  }

  /** The number of keys that have jobs under way. */
  get size(): number {
    return this.#tails.size;
  }
}
