// Reads the commits of agents beside a repository that is not to be written: what the exchange has
// of them goes into a store of its own, as data, and every object is hashed on the way.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import type { RecordedCommit } from "../exchange/exchange.ts";
import { Quarantine } from "../exchange/quarantine.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import type { Git } from "../run/run-git.ts";
import { unpublishedCommits } from "./unpublished.ts";

export class ResultsReader {
  readonly #git: Git;
  readonly #place: RepositoryPlace;
  readonly #quarantine: Quarantine;
  readonly #taken = new Set<CommitHash>();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(git: Git, place: RepositoryPlace, quarantine: Quarantine) {
    this.#git = git;
    this.#place = place;
    this.#quarantine = quarantine;
  }

  /** Removes what an earlier process has left in the folder. */
  static async open(git: Git, place: RepositoryPlace, folder: string): Promise<ResultsReader> {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder))
      if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
    return new ResultsReader(
      git,
      place,
      await Quarantine.make(git, place, await mkdtemp(join(folder, prefix))),
    );
  }

  /**
   * The store that has those commits, as far as the exchange does, and the ones that no agent has
   * published. `recorded`: the oldest first. Each is taken once.
   */
  async take(
    instance: InstanceName,
    recorded: readonly RecordedCommit[],
  ): Promise<{ objectsDir: string; unpublished: ReadonlySet<CommitHash> }> {
    // One after the other: a commit may build on one that the call before has taken.
    const now = this.#last.then(() => this.#takeNew(instance, recorded));
    this.#last = now.catch(() => undefined);
    await now;
    const { objectsDir, taken: packs } = this.#quarantine;
    return {
      objectsDir,
      unpublished: await unpublishedCommits(this.#git, this.#place, recorded, { instance, packs }),
    };
  }

  async #takeNew(instance: InstanceName, recorded: readonly RecordedCommit[]): Promise<void> {
    const wanted = recorded.filter(({ commit }) => !this.#taken.has(commit));
    if (wanted.length === 0) return;
    const problems = await this.#quarantine.take(instance, wanted);
    for (const { commit } of wanted) if (!problems.has(commit)) this.#taken.add(commit);
  }
}

const prefix = "results-";
