// The latest entries of a map, for caches that may forget.

/** Holds at least the `minEntries` latest entries, and at most twice as many. */
export class RecentMap<Key, Value> {
  readonly #minEntries: number;
  #latest = new Map<Key, Value>();
  #earlier = new Map<Key, Value>();

  constructor(minEntries: number) {
    this.#minEntries = minEntries;
  }

  get(key: Key): Value | undefined {
    return this.#latest.get(key) ?? this.#earlier.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#latest.size >= this.#minEntries) {
      this.#earlier = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(key, value);
  }

  delete(key: Key): void {
    this.#latest.delete(key);
    this.#earlier.delete(key);
  }

  clear(): void {
    this.#latest.clear();
    this.#earlier.clear();
  }
}
