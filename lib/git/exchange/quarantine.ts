// A private object store between the exchange and the repository: what agents have left is unpacked
// there, and checked.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { inNewFolder } from "../../folders/new-folder.ts";
import { messageOf } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { makeStore } from "../run/borrowing.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import { FailedPacks } from "./failed-packs.ts";
import { keepLfsContents } from "./lfs-store.ts";
import type { Quarantine, RecordedCommit } from "./port.ts";
import type { Store } from "./store.ts";
import { readBrought } from "./store-notes.ts";
import { type Taking, takeCommit } from "./take-commit.ts";
import { TakenPacks } from "./taken-packs.ts";

export class PackQuarantine implements Quarantine {
  readonly objectsDir: string;
  readonly costly: FailedPacks;
  readonly #taking: Taking;
  readonly #taken = new TakenPacks();
  readonly #exchangeDir: string;
  readonly #store: Store;

  private constructor(store: Store, objectsDir: string, exchangeDir: string, costly: FailedPacks) {
    const { git, place } = store;
    const { gitDir } = place;
    this.#store = store;
    this.objectsDir = objectsDir;
    this.costly = costly;
    this.#taking = { git, gitDir, objectsDir, taken: this.#taken, failed: costly };
    this.#exchangeDir = exchangeDir;
  }

  /** `folder`: an empty one for it; without it, one is made among the objects of the repository. */
  static async make(source: Store, exchangeDir: string, folder?: string): Promise<PackQuarantine> {
    const { place, instance } = source;
    const make = async (objectsDir: string) => {
      // A commit that a person brought through the API may be only in the store yet. The API's own
      // folder is made before there is any.
      const needsStore = folder !== undefined || (await readBrought(source)).length > 0;
      await makeStore(objectsDir, place.objectsDir, ...(needsStore ? [source.path] : []));
      const failed = await FailedPacks.read(place, instance);
      return new PackQuarantine(source, objectsDir, exchangeDir, failed);
    };
    // Named as git names its own: git's next clean-up removes one that a crash has left behind.
    const prefix = join(place.objectsDir, "tmp_objdir-sett-");
    return await (folder === undefined ? inNewFolder(prefix, make) : make(folder));
  }

  /** Never rejects for what the exchange holds. `from`: another folder that is like it. */
  async take(
    wanted: readonly RecordedCommit[],
    from = this.#exchangeDir,
  ): Promise<Map<CommitHash, string>> {
    const problems = new Map<CommitHash, string>();
    try {
      using exchange = UntrustedFolder.open(from);
      if (exchange === undefined) return problems;
      for (const each of new Map(
        wanted.map((one) => [`${one.commit} ${one.agent}`, one]),
      ).values()) {
        const problem = await takeCommit(this.#taking, exchange, each);
        if (problem !== undefined && problem !== "") problems.set(each.commit, problem);
      }
    } catch (error) {
      for (const { commit } of wanted) problems.set(commit, messageOf(error));
    } finally {
      await this.costly.save();
    }
    return problems;
  }

  async keepContents(commits: readonly CommitHash[], revisions: string): Promise<void> {
    const { objectsDir } = this;
    await keepLfsContents(this.#store, commits, { objectsDir, revisions });
  }

  async isPublished(commit: CommitHash): Promise<boolean> {
    return await this.#taken.hold(this.#taking.git, commit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.objectsDir, { recursive: true, force: true });
  }
}
