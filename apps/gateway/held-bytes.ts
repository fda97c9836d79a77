// How much memory the requests of all calls may take together: agents share the gateway, and no one of them may fill it.

export type RequestRoom = {
  /** The true size, where less was taken for a body of unknown size. */
  shrinkTo(bytes: number): void;
  /** May be called again. */
  release(): void;
};

export class HeldBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#held;
  }

  /** Undefined where there is no room now. One request alone always has room. */
  take(bytes: number): RequestRoom | undefined {
    if (this.#held > 0 && this.#held + bytes > this.#max) return undefined;
    let taken = bytes;
    const shrinkTo = (less: number) => {
      if (less >= taken) return;
      this.#held -= taken - less;
      taken = less;
    };
    this.#held += bytes;
    return { shrinkTo, release: () => shrinkTo(0) };
  }
}
