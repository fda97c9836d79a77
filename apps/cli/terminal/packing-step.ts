// Says how far the packing of what agents see of a repository is, where that takes a while.
import type { GitProgress, GitWait } from "../../../lib/git/run/progress.ts";
import { formatCount } from "../../../lib/words/count.ts";
import type { Progress, Step } from "./progress.ts";

/** Large repositories take some time; for others there is nothing to say. */
const slowMs = 1_000;
/** Without a terminal there is a line about so often. */
const milestoneMs = 10_000;
const packing = "packing what agents see of it";
/** git first brings what a partial clone lacks. */
const fetching = "fetching what this clone lacks of it";

export class PackingStep implements Disposable {
  readonly #progress: Progress;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #step: Step | undefined;
  #saidAtMs = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** Without this call it begins with what git counts first. */
  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#saidAtMs = performance.now();
      this.#step ??= this.#progress.begin("repository", packing);
    }, slowMs);
  }

  readonly onProgress = (news: GitProgress | GitWait): void => {
    this.begin();
    if ("waitsFor" in news) {
      this.#step ??= this.#progress.begin("repository", fetching);
      this.#step.update(news.waitsFor, { isMilestone: true });
      return;
    }
    if (this.#step === undefined) return;
    const { what, done, of } = news;
    const isMilestone = performance.now() - this.#saidAtMs > milestoneMs;
    if (isMilestone) this.#saidAtMs = performance.now();
    const doing = what.startsWith("Receiving") ? fetching : packing;
    const count = `${formatCount(done)} of ${formatCount(of)}`;
    this.#step.update(`${doing}: ${what.toLowerCase()}, ${count}`, { isMilestone });
  };

  done(): void {
    this.#step?.done("packed what agents see of it");
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
