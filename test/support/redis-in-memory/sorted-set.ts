// A sorted set: members by score, those of one score by their bytes.

export type Scored = { member: string; score: number };

export class SortedSet {
  readonly #scores = new Map<string, number>();
  readonly #order: Scored[] = [];

  get size(): number {
    return this.#order.length;
  }

  scoreOf(member: string): number | undefined {
    return this.#scores.get(member);
  }

  set(member: string, score: number): void {
    const before = this.#scores.get(member);
    if (before === score) return;
    if (before !== undefined) this.#order.splice(this.#placeOf(member, before), 1);
    this.#scores.set(member, score);
    this.#order.splice(this.#placeOf(member, score), 0, { member, score });
  }

  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#scores.delete(member);
    this.#order.splice(this.#placeOf(member, score), 1);
    return true;
  }

  /** In their order. */
  all(): readonly Scored[] {
    return this.#order;
  }

  copy(): SortedSet {
    const copy = new SortedSet();
    for (const { member, score } of this.#order) {
      copy.#scores.set(member, score);
      copy.#order.push({ member, score });
    }
    return copy;
  }

  /** Where it is, or would be. */
  #placeOf(member: string, score: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#order[middle] as Scored;
      if (other.score < score || (other.score === score && other.member < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** As Redis writes a score. */
export function textOfScore(score: number): string {
  if (Number.isFinite(score)) return String(score);
  return score > 0 ? "inf" : "-inf";
}
