// The user's repository on the host: what Sett reads of it, and the refs and the exchange that Sett
// keeps in it.
import { rmdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { SettError } from "../../model/errors.ts";
import {
  type AgentName,
  type ArtefactId,
  CommitHash,
  type GoalId,
  type InstanceName,
} from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import {
  createExchange,
  exchangePath,
  holdsPacks,
  type RecordedCommit,
  removeExchange,
} from "../exchange/exchange.ts";
import { GivenPacks, listRefs, packing } from "../exchange/incoming-packs.ts";
import { addToStore, createStore, removeStore, storePath } from "../exchange/object-store.ts";
import { hasOldExchange, removeOldExchange } from "../exchange/old-exchange.ts";
import { borrowing } from "../exchange/take-commit.ts";
import { changeOwner } from "../run/change-owner.ts";
import {
  findRepository,
  type Owner,
  type RepositoryPlace,
  unusable,
} from "../run/find-repository.ts";
import { limited } from "../run/limited.ts";
import { PlainView } from "../run/plain-view.ts";
import { type Git, type GitResult, type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";
import { commitNewFiles, type NewFiles } from "./commit-new-files.ts";
import { type DirtyFile, dirtyFiles } from "./dirty-files.ts";
import { type ImportedCommits, importCommits } from "./import-commits.ts";
import { closeToApi, openToApi } from "./open-to-api.ts";
import { packOwnRefs } from "./pack-own-refs.ts";
import { settRef } from "./refs.ts";
import { ResultsReader } from "./results-reader.ts";
import { type ChangeDetail, type Earlier, showChanges, type Work } from "./show-changes.ts";
import { lastTag, readTags, type Tag, tagArguments } from "./tags.ts";
import { withoutCommits } from "./unpublished.ts";

/** Who waits for the changes of a commit waits no longer. */
const showMs = 60_000;

/**
 * Address space for each run of git: many times what the largest repositories need, and less than
 * what would stop a machine.
 */
const memoryBytes = 8 * 1024 * 1024 * 1024;

interface HostRepositoryOptions {
  /** The whole environment of git; variables that name a repository are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gitPath?: string;
  /** Without it a repository without commits is refused. */
  readonly mayBeEmpty?: boolean;
  /** How much memory git may take to show changes; 2 GiB without it. */
  readonly showMemoryBytes?: number;
}

/**
 * HEAD, index, files and configuration of the repository are only read, except by `commitNewFiles`.
 */
export class HostRepository {
  readonly place: RepositoryPlace;
  /**
   * Lock between commands that set up or take down instances of this repository; they create and
   * remove it.
   */
  readonly lockFile: string;
  readonly #git: Git;
  /** For what agents have committed, while a person waits. */
  readonly #showing: Git;

  private constructor(git: Git, place: RepositoryPlace, showMemoryBytes?: number) {
    this.#git = git;
    this.#showing = limited(
      git,
      withoutUndefined({ timeMs: showMs, memoryBytes: showMemoryBytes }),
    );
    this.place = place;
    this.lockFile = join(place.commonDir, "sett.lock");
  }

  /**
   * The repository that holds `path`, a folder. Throws repository-unusable, with the reason and a
   * remedy.
   */
  static async open(path: string, options: HostRepositoryOptions): Promise<HostRepository> {
    const git = {
      path: options.gitPath ?? "git",
      env: withoutRepository(options.env),
      limits: { memoryBytes },
    };
    const repository = new HostRepository(
      git,
      await findRepository(git, path),
      options.showMemoryBytes,
    );
    if (options.mayBeEmpty !== true) await repository.head();
    return repository;
  }

  /** Throws repository-unusable when nothing was ever committed on the branch that HEAD names. */
  async head(): Promise<CommitHash> {
    const found = await this.#try({ args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"] });
    if (found.exitCode === 0) return CommitHash.parse(found.stdout.trim());
    throw unusable(
      "The repository has no commits yet.",
      'Make one: `git add -A && git commit -m "Start"`.',
    );
  }

  async hasCommit(hash: CommitHash): Promise<boolean> {
    return (await this.#try({ args: ["cat-file", "-e", `${hash}^{commit}`] })).exitCode === 0;
  }

  /** The commit itself. Throws `usage` when this repository does not have it. */
  async commit(hash: CommitHash): Promise<CommitHash> {
    if (await this.hasCommit(hash)) return hash;
    throw new SettError("usage", `The repository does not have commit ${hash}.`, {
      hint: "Push or fetch it, then ask again.",
    });
  }

  /**
   * What `git status` shows: changed, staged and unknown files, not the ignored ones. Empty when
   * all is committed.
   */
  async dirtyFiles(onSlow?: (sentence: string) => void): Promise<DirtyFile[]> {
    return await dirtyFiles((run) => this.#run(run), { git: this.#git, place: this.place, onSlow });
  }

  /**
   * Whether git knows the file, so that its commits have it. `path`: absolute, also outside of the
   * repository.
   */
  async isTracked(path: string): Promise<boolean> {
    const inside = relative(this.place.toplevel, path);
    if (inside === "" || inside === ".." || inside.startsWith("../../")) return false;
    const listed = await this.#run({
      args: ["--literal-pathspecs", "ls-files", "-z", "--full-name", "--", `./${inside}`],
    });
    return listed === `${inside}\0`;
  }

  /** At a person's request. Throws git-failed and interrupted; the index is then as it was. */
  async commitNewFiles(files: NewFiles): Promise<string | undefined> {
    return await commitNewFiles(this.#git, this.place, files);
  }

  /** Who commits here, as far as git's configuration says. */
  async identity(): Promise<{ name?: string; email?: string }> {
    const [name, email] = await Promise.all([
      this.#setting("user.name"),
      this.#setting("user.email"),
    ]);
    return withoutUndefined({ name, email });
  }

  /**
   * Shows agents the commit that a goal starts from, and keeps it, also when its branch changes:
   * results are built on it.
   */
  async pin(instance: InstanceName, goalId: GoalId, commit: CommitHash): Promise<void> {
    await addToStore(this.#git, this.place, instance, [commit]);
    const [ref, { owner, commonDir }] = [settRef(instance, goalId), this.place];
    // Where the user wants a log of every name, the API, which writes nothing but the name, could
    // not write it.
    await this.#run({ args: ["-c", "core.logAllRefUpdates=false", "update-ref", ref, commit] });
    await changeOwner(
      owner,
      `${commonDir}/refs/sett`,
      `${commonDir}/refs/sett/${instance}`,
      `${commonDir}/${ref}`,
    );
    await packOwnRefs(this.#git, this.place, instance);
  }

  /** Undoes `pin`, for a goal that was not posted. */
  async unpin(instance: InstanceName, goalId: GoalId): Promise<void> {
    await this.#run({ args: ["update-ref", "-d", settRef(instance, goalId)] });
  }

  /**
   * The newest tag among the ancestors of `commit`, with the commit that it names; undefined where
   * nothing is tagged.
   */
  async lastTag(commit: CommitHash): Promise<{ name: string; commit: CommitHash } | undefined> {
    return await lastTag(
      { run: (each) => this.#run(each), try: (each) => this.#try(each) },
      commit,
    );
  }

  /** All tags that name a commit, with the commit, the oldest first. */
  async tags(): Promise<Tag[]> {
    return readTags(await this.#run({ args: tagArguments }));
  }

  /**
   * What an instance's agents see of the repository, and where they leave their commits:
   * `createFolders` makes both.
   */
  foldersOf(instance: InstanceName): { objectsDir: string; exchangeDir: string } {
    return {
      objectsDir: storePath(this.place, instance),
      exchangeDir: exchangePath(this.place, instance),
    };
  }

  /**
   * Makes the exchange with a folder for each agent that may publish, and the store with what goals
   * reach, of which agents see the newest `history` commits, or all. `writer`: who agents are here,
   * if not as in containers. Throws repository-unusable, git-failed.
   */
  async createFolders(
    instance: InstanceName,
    writers: readonly AgentName[],
    history?: number,
    writer?: Owner,
  ): Promise<void> {
    await createExchange(this.place, instance, {
      writers,
      writer: writer ?? this.place.containerUser,
    });
    await createStore(this.#git, this.place, instance, history);
  }

  /** The artefacts whose commits this repository has by name already. */
  async knownResults(instance: InstanceName): Promise<Set<string>> {
    return new Set(
      (await this.#run(listRefs(instance)))
        .split("\n")
        .map((ref) => ref.slice(ref.lastIndexOf("/") + 1)),
    );
  }

  /** A pack of what the commit needs beyond the commit `base`, as it is made. Throws git-failed. */
  async writePack(
    commit: CommitHash,
    base: CommitHash | undefined,
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void> {
    await this.#run(packing(commit, base, onChunk), limited(this.#git));
  }

  /**
   * Puts packs from elsewhere where commits of agents are taken from, each checked on the way like
   * theirs, and imports them.
   */
  async importPacks(
    instance: InstanceName,
    results: readonly (RecordedCommit & { readonly artefact: ArtefactId })[],
    packOf: (artefact: ArtefactId) => Promise<Uint8Array>,
  ): Promise<ImportedCommits> {
    await using packs = new GivenPacks(exchangePath(this.place, instance));
    for (const each of results) await packs.put(each, () => packOf(each.artefact));
    return await this.fetchCommits(instance, results);
  }

  /**
   * Lets the API post goals from its container: it writes their names, and what agents see of them.
   * Throws repository-unusable.
   */
  async openToApi(instance: InstanceName): Promise<void> {
    await openToApi(this.place, instance);
  }

  /**
   * Imports the commits of artefacts under the names of `settRef`, and takes them out of the
   * exchange. `results`: the oldest first.
   */
  async fetchCommits(
    instance: InstanceName,
    results: readonly (RecordedCommit & { readonly artefact: ArtefactId })[],
  ): Promise<ImportedCommits> {
    const recorded = results.map(({ artefact, commit, agent }) => ({
      ref: settRef(instance, artefact),
      commit,
      agent,
    }));
    return await importCommits(this.#git, this.place, instance, recorded);
  }

  /**
   * Reads commits of artefacts beside this repository, which stays as it is: `take` resolves with a
   * view of it that has them, too. `folder`: for this process alone.
   */
  async openResults(folder: string): Promise<{
    take(
      instance: InstanceName,
      results: readonly RecordedCommit[],
    ): Promise<Pick<HostRepository, "showChanges" | "writePack">>;
  }> {
    const reader = await ResultsReader.open(limited(this.#git), this.place, folder);
    return {
      take: async (instance, results) => {
        const { objectsDir, unpublished } = await reader.take(instance, results);
        const view = new HostRepository(
          { ...this.#git, env: { ...this.#git.env, ...borrowing(objectsDir) } },
          this.place,
        );
        return withoutCommits(view, unpublished);
      },
    };
  }

  /** Whether agents may have left anything in the exchange. */
  async mayHoldResults(instance: InstanceName): Promise<boolean> {
    return (await holdsPacks(this.place, instance)) || (await this.hasOldExchange());
  }

  /**
   * Whether agents of an earlier version have left commits here, which this version's can only read
   * from the repository.
   */
  hasOldExchange(): Promise<boolean> {
    return hasOldExchange(this.place);
  }

  /** Undoes `createFolders`. Nothing there is fine. */
  async removeFolders(instance: InstanceName): Promise<void> {
    await removeStore(this.place, instance);
    if (await removeExchange(this.place, instance)) await removeOldExchange(this.place);
    // Other instances, and kept logs, may be in there.
    for (const folder of ["sett/objects", "sett"])
      await rmdir(join(this.place.commonDir, folder)).catch(() => undefined);
  }

  /** Removes the refs of every goal and result of an instance; what was merged stays. */
  async removeRefs(instance: InstanceName): Promise<void> {
    const refs = await this.#run({
      args: ["for-each-ref", "--format=delete %(refname)", `refs/sett/${instance}/`],
    });
    if (refs !== "") await this.#run({ args: ["update-ref", "--stdin"], stdin: refs });
    await closeToApi(this.place, instance);
  }

  /**
   * What a result changes, as it is stored: no attribute, mailmap or setting hides any of it. As
   * `showChanges`.
   */
  async showChanges(work: Work, detail: ChangeDetail = "files", since?: Earlier): Promise<string> {
    await using view = await PlainView.make(this.#showing, this.place);
    return await showChanges(view, work, detail, since);
  }

  async #setting(name: string): Promise<string | undefined> {
    const found = await this.#try({ args: ["config", "--get", name] });
    return found.exitCode === 0 ? found.stdout.replace(/\n$/, "") : undefined;
  }

  async #run(run: GitRun, git = this.#git): Promise<string> {
    return await runGit(git, inPlace(this.place, run));
  }

  async #try(run: GitRun): Promise<GitResult> {
    return await tryGit(this.#git, inPlace(this.place, run));
  }
}

function inPlace({ gitDir, toplevel }: RepositoryPlace, run: GitRun): GitRun {
  return {
    ...run,
    args: [`--git-dir=${gitDir}`, `--work-tree=${toplevel}`, ...run.args],
    cwd: toplevel,
  };
}
