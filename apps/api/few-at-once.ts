// Limits how often work that takes much memory, or a whole core, runs at once: some callers wait
// for their turn, and more are refused.
import { SettError } from "../../lib/model/errors.ts";

export class FewAtOnce {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #what: string;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `what`: what the API does too often now, for the refusal, such as `draws other pictures`. */
  constructor(what: string, { max, maxWaiting }: { max: number; maxWaiting: number }) {
    this.#what = what;
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * The first that has come runs first. Throws `too-many-requests` where too many wait, and what
   * the job throws.
   */
  async run<Output>(job: () => Promise<Output>): Promise<Output> {
    await this.#turn();
    try {
      return await job();
    } finally {
      // The turn is handed on, so that no call that comes just now gets it as well.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#max) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#maxWaiting)
      throw new SettError("too-many-requests", `The API ${this.#what} now.`, {
        hint: "Ask again in a minute.",
      });
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
