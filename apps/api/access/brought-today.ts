// How much one token may bring in a day. What it brings stays among what agents see, and would else
// fill the disk of the instance's repository. An API that starts again counts anew.
import type { Clock } from "../../../lib/async/clock.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { sizeText } from "../../../lib/model/size-text.ts";

/** One token may bring so much. `bytes`: of packs, also of those that were refused then. */
export type BroughtLimits = { bytes: number; commits: number };

const dayMs = 86_400_000;
/** The callers of an identity provider may be any number. */
const maxDays = 10_000;

export class BroughtToday {
  readonly #limits: BroughtLimits;
  readonly #clock: Pick<Clock, "passedMs">;
  readonly #days = new Map<string, BroughtLimits & { sinceMs: number }>();

  constructor(limits: BroughtLimits, clock: Pick<Clock, "passedMs">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Throws `too-large`, and counts what exceeds a limit as well. */
  add(token: string, { bytes = 0, commits = 0 }: Partial<BroughtLimits>): void {
    const nowMs = this.#clock.passedMs();
    const known = this.#days.get(token);
    const isOver = known === undefined || nowMs - known.sinceMs > dayMs;
    const before = isOver ? { sinceMs: nowMs, bytes: 0, commits: 0 } : known;
    const after = {
      ...before,
      bytes: before.bytes + bytes,
      commits: before.commits + commits,
    };
    // The last one that was used is the last in the map.
    this.#days.delete(token);
    if (this.#days.size >= maxDays) this.#days.delete(this.#days.keys().next().value ?? "");
    this.#days.set(token, after);
    const { bytes: maxBytes, commits: maxCommits } = this.#limits;
    if (after.commits > maxCommits) throw tooMuch(`${maxCommits} commits`);
    if (after.bytes > maxBytes) throw tooMuch(sizeText(maxBytes));
  }
}

function tooMuch(limit: string): SettError {
  return new SettError("too-large", `This token has brought more than ${limit} in a day.`, {
    hint: "Push the branch to where the instance is, and fetch it there.",
  });
}
