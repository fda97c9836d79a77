// A private object store between the exchange and the repository: what agents have left is unpacked
// there, and checked.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors.ts";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import type { Git } from "../run/run-git.ts";
import { exchangePath, type RecordedCommit } from "./exchange.ts";
import { FailedPacks } from "./failed-packs.ts";
import { takeOldPacks } from "./old-exchange.ts";
import { makeStore, type Taking, takeCommit } from "./take-commit.ts";
import { TakenPacks } from "./taken-packs.ts";
import { FolderOfAgents } from "./untrusted-folder.ts";

export class Quarantine implements AsyncDisposable {
  /** An object store that only git has written to. */
  readonly objectsDir: string;
  /** The packs that were taken. */
  readonly taken = new TakenPacks();
  readonly #place: RepositoryPlace;
  readonly #taking: Taking;
  readonly #failed = new Map<InstanceName, FailedPacks>();

  private constructor(git: Git, place: RepositoryPlace, objectsDir: string) {
    this.objectsDir = objectsDir;
    this.#place = place;
    this.#taking = { git, gitDir: place.gitDir, objectsDir, taken: this.taken };
  }

  /** `folder`: an empty one for it; without it, one is made among the objects of the repository. */
  static async make(git: Git, place: RepositoryPlace, folder?: string): Promise<Quarantine> {
    // Named as git names its own: git's next clean-up removes one that a crash has left behind.
    const objectsDir = folder ?? (await mkdtemp(join(place.objectsDir, "tmp_objdir-sett-")));
    await makeStore(objectsDir, place.objectsDir);
    return new Quarantine(git, place, objectsDir);
  }

  /**
   * Takes the commits that the exchange has. Returns why others could not be read, where more is
   * known than that they are not there. Never throws for what the exchange holds.
   */
  async take(
    instance: InstanceName,
    recorded: readonly RecordedCommit[],
  ): Promise<Map<CommitHash, string>> {
    const problems = new Map<CommitHash, string>();
    await takeOldPacks(this.#taking, this.#place);
    const failed = await this.failedIn(instance);
    try {
      using exchange = FolderOfAgents.open(exchangePath(this.#place, instance));
      if (exchange === undefined) return problems;
      for (const each of new Map(
        recorded.map((one) => [`${one.commit} ${one.agent}`, one]),
      ).values()) {
        const problem = await takeCommit({ ...this.#taking, failed }, exchange, each);
        if (problem !== undefined && problem !== "") problems.set(each.commit, problem);
      }
    } catch (error) {
      for (const { commit } of recorded) problems.set(commit, messageOf(error));
    } finally {
      await failed.save();
    }
    return problems;
  }

  /** What exceeds the limits of git here. */
  async failedIn(instance: InstanceName): Promise<FailedPacks> {
    const failed = this.#failed.get(instance) ?? (await FailedPacks.read(this.#place, instance));
    this.#failed.set(instance, failed);
    return failed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.objectsDir, { recursive: true, force: true });
  }
}
