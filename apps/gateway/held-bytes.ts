// How much memory the requests of all calls may take together: agents share the gateway, and no one
// of them may fill it.

export type RequestRoom = {
  /** The true size, where less was taken for a body of unknown size. */
  shrinkTo(bytes: number): void;
  /** May be called again. */
  release(): void;
};

export class HeldBytes {
  readonly #share: number;
  readonly #taken = new Map<string, number>();

  /** `agents`: how many share the maximum. */
  constructor({ max, agents }: { max: number; agents: number }) {
    this.#share = max / Math.max(1, agents);
  }

  get bytes(): number {
    return [...this.#taken.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * Undefined where there is no room now: what others take does not matter. One request of an agent
   * alone always has room.
   */
  take(agent: string, bytes: number): RequestRoom | undefined {
    const before = this.#taken.get(agent) ?? 0;
    if (before > 0 && before + bytes > this.#share) return undefined;
    let taken = bytes;
    const shrinkTo = (less: number) => {
      if (less >= taken) return;
      this.#taken.set(agent, (this.#taken.get(agent) ?? 0) - (taken - less));
      taken = less;
    };
    this.#taken.set(agent, before + bytes);
    return { shrinkTo, release: () => shrinkTo(0) };
  }
}
