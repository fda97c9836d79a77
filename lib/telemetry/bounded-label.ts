// Keeps the number of a label's values small: each value is a series of its own, and agents choose
// some of the words.

const other = "other";

export class BoundedLabel {
  readonly #max: number;
  readonly #known = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The value, or `other` once there are too many. */
  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#max) return other;
    this.#known.add(value);
    return value;
  }
}
