// Reads the commits of agents beside a repository that is not to be written: what they have
// published goes into a store of its own, as data, and every object is hashed on the way.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { Quarantine, RecordedCommit } from "../exchange/port.ts";
import type { Source } from "./source.ts";
import { unpublishedCommits } from "./unpublished.ts";

const prefix = "results-";

export class ResultsReader {
  readonly #source: Source;
  readonly #quarantine: Quarantine;
  readonly #taken = new Set<CommitHash>();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(source: Source, quarantine: Quarantine) {
    this.#source = source;
    this.#quarantine = quarantine;
  }

  /** Removes what an earlier process has left in the folder. */
  static async open(source: Source, folder: string): Promise<ResultsReader> {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder))
      if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
    const own = await mkdtemp(join(folder, prefix));
    return new ResultsReader(source, await source.exchange.quarantine(own));
  }

  /**
   * The store that has those commits, as far as agents have published them, and the others.
   * `recorded`: the oldest first. Each is taken once.
   */
  async take(
    recorded: readonly RecordedCommit[],
  ): Promise<{ objectsDir: string; unpublished: ReadonlySet<CommitHash> }> {
    // One after the other: a commit may build on one that the call before has taken.
    const now = this.#last.then(() => this.#takeNew(recorded));
    this.#last = now.catch(() => undefined);
    await now;
    const unpublished = await unpublishedCommits(this.#source, recorded, this.#quarantine);
    return { objectsDir: this.#quarantine.objectsDir, unpublished };
  }

  async #takeNew(recorded: readonly RecordedCommit[]): Promise<void> {
    const wanted = recorded.filter(({ commit }) => !this.#taken.has(commit));
    if (wanted.length === 0) return;
    const problems = await this.#quarantine.take(wanted);
    for (const { commit } of wanted) if (!problems.has(commit)) this.#taken.add(commit);
  }
}
