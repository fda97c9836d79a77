// Forgets the refusals of artefacts that were written by hand, once the person has removed them.
import type { Deps } from "../leader/deps.ts";

const pageSize = 1_000;
const pageEveryMs = 250;
const lookEveryMs = 3_600_000;

type OldRefusalsDeps = Pick<Deps, "board">;

export class OldRefusals {
  readonly #deps: OldRefusalsDeps;
  #cursor = "0";

  constructor(deps: OldRefusalsDeps) {
    this.#deps = deps;
  }

  /** Looks at the next page of the refusals; milliseconds after which to go on. */
  async runOnce(): Promise<number> {
    const { cursor } = await this.#deps.board.forgetRefused(this.#cursor, pageSize);
    this.#cursor = cursor;
    return cursor === "0" ? lookEveryMs : pageEveryMs;
  }
}
