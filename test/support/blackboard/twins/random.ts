// Chance that a seed repeats.
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Undefined only of an empty list. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  oneOf<Item>(first: Item, ...others: readonly Item[]): Item {
    return this.pick([first, ...others]) ?? first;
  }

  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.chance(probability));
  }

  /** A UUID of version 4. */
  uuid(): string {
    const hex = (count: number) =>
      Array.from({ length: count }, () => this.below(16).toString(16)).join("");
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${this.oneOf("8", "9", "a", "b")}${hex(3)}-${hex(12)}`;
  }
}
