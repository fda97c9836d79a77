// The user's repository on the host: what Sett reads of it, and the refs that Sett keeps in it.
import type { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { SettError } from "../../model/errors.ts";
import { type ArtefactId, CommitHash, type GoalId, type InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { SparsePaths } from "../copy/sparse-paths.ts";
import { HostFolders } from "../exchange/host-folders.ts";
import type { HostExchange, RecordedCommit } from "../exchange/port.ts";
import { HostPacks } from "../packs/host-packs.ts";
import type { FindPacks, PacksAddress } from "../packs/packs-client.ts";
import { ServedRepository } from "../packs/served-repository.ts";
import { borrowing } from "../run/borrowing.ts";
import { bytesOf } from "../run/bytes-of.ts";
import { changeOwner } from "../run/change-owner.ts";
import { changedPaths } from "../run/changed-paths.ts";
import { fetchFiles } from "../run/fetch-missing.ts";
import { findRepository, type RepositoryPlace, unusable } from "../run/find-repository.ts";
import { sayingFullDisk } from "../run/full-disk.ts";
import { limited } from "../run/limited.ts";
import { mergeBases } from "../run/merge-bases.ts";
import { sshSignerIn } from "../run/person-programs.ts";
import { PlainView } from "../run/plain-view.ts";
import type { GitProgress, GitWait } from "../run/progress.ts";
import { type Git, type GitResult, type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";
import {
  type KeptCheckpoint,
  keepCheckpoint,
  listCheckpoints,
  pushCheckpoints,
} from "./checkpoints.ts";
import { commitFiles, filesPath, keepCommitFiles } from "./commit-files.ts";
import { commitNewFiles, type NewFiles } from "./commit-new-files.ts";
import { type DirtyFile, dirtyFiles } from "./dirty-files.ts";
import { type ErasedCommits, eraseCommits } from "./erase-commits.ts";
import { type ImportedCommits, importCommits } from "./import-commits.ts";
import { keepNote } from "./keep-note.ts";
import { localClone } from "./local-clone.ts";
import { type Merge, type Merged, mergeCommit } from "./merge-commit.ts";
import { moveLanes } from "./move-lanes.ts";
import { closeNames, openNames } from "./open-names.ts";
import { type Outgoing, readOutgoing } from "./outgoing.ts";
import { packOwnRefs } from "./pack-own-refs.ts";
import { readObjects } from "./read-objects.ts";
import { settRef } from "./refs.ts";
import { readBundle, writeBundle } from "./results-bundle.ts";
import { ResultsReader } from "./results-reader.ts";
import { type Revert, type Reverted, revertCommits } from "./revert-commit.ts";
import { type ChangeDetail, type Earlier, showChanges, type Work } from "./show-changes.ts";
import { sizeOfFiles } from "./size-of-files.ts";
import type { Source } from "./source.ts";
import { lastTag, readTags, type Tag, tagArguments } from "./tags.ts";
import { type CommitReader, withoutCommits } from "./unpublished.ts";

/** Maximum time for showing a diff to a person. */
const showMs = 60_000;

/**
 * Address space for each run of git: many times what the largest repositories need, and less than
 * what would stop a machine.
 */
const memoryBytes = 8 * 1024 * 1024 * 1024;

/** A filter of the person's own may ask its person for something, and nothing moves meanwhile. */
const stillMs = 15 * 60_000;

interface HostRepositoryOptions {
  /** The whole environment of git; variables that name a repository are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gitPath?: string;
  /** Without it a repository without commits is refused. */
  readonly mayBeEmpty?: boolean;
  /** How much memory git may take to show changes; 2 GiB without it. */
  readonly showMemoryBytes?: number;
  /** False where no remote can be reached as its person would; what a clone lacks is then said. */
  readonly mayFetch?: boolean;
  /** Finds the service of packs of an instance that has one; without it none is found. */
  readonly packsOf?: (instance: InstanceName) => ReturnType<FindPacks>;
  /** Gives the commit to an instance elsewhere, before it is kept here. Rejects where it cannot. */
  readonly bring?: (from: HostRepository, commit: CommitHash) => Promise<void>;
  /** Gets how far `pin` is in packing what agents see, and in fetching what a clone lacks of it. */
  readonly onProgress?: (news: GitProgress | GitWait) => void;
}

/**
 * HEAD, index, files and configuration of the repository are only read, except by `commitNewFiles`
 * and `merge`, at a person's word.
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

  readonly #onProgress: HostRepositoryOptions["onProgress"];
  readonly #packsOf: HostRepositoryOptions["packsOf"];
  readonly #bring: HostRepositoryOptions["bring"];
  readonly #copy: ServedRepository | undefined;

  private constructor(
    git: Git,
    place: RepositoryPlace,
    { showMemoryBytes, onProgress, packsOf, bring }: Partial<HostRepositoryOptions> = {},
    copy?: ServedRepository,
  ) {
    this.#git = git;
    this.#packsOf = packsOf;
    this.#bring = bring;
    this.#copy = copy;
    this.#onProgress = onProgress;
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
      limits: { memoryBytes, stillMs },
      mayFetch: options.mayFetch ?? true,
    };
    const repository = new HostRepository(git, await findRepository(git, path), options);
    if (options.mayBeEmpty !== true) await repository.head();
    return repository;
  }

  /**
   * A bare one for a program that does not see the person's: it has what agents see, from the
   * service of packs. `folder`: the program's own. Throws git-failed, and not-ready before there is
   * anything.
   */
  static async openCopy(
    folder: string,
    address: PacksAddress,
    env: HostRepositoryOptions["env"],
  ): Promise<HostRepository> {
    const copy = await ServedRepository.open(env, { folder, address });
    const git = {
      path: "git",
      env: withoutRepository(env),
      limits: { memoryBytes, stillMs },
      mayFetch: false,
    };
    const place = await findRepository(git, copy.path);
    return new HostRepository(git, place, { packsOf: async () => address }, copy);
  }

  /** Gets what agents see by now, where it is a copy. Throws git-failed. */
  async update(): Promise<void> {
    await this.#copy?.sync();
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

  /** The tree of its files. Throws git-failed where this repository does not have the commit. */
  async treeOf(commit: CommitHash): Promise<string> {
    return (await this.#run({ args: ["rev-parse", "--verify", `${commit}^{tree}`] })).trim();
  }

  /**
   * Whether the files of the commit take more on a disk. It reads no further than it must.
   * Undefined where a partial clone lacks what says so.
   */
  async takesMoreThan(commit: CommitHash, bytes: number): Promise<boolean | undefined> {
    const wanted = { commit, maxBytes: bytes, sparse: undefined };
    return await this.#ifHere(async () => (await this.#size(wanted)) === undefined);
  }

  /**
   * Returns the bytes that the files of the commit take on a disk; `sparse`: those of a part.
   * Undefined where a partial clone lacks what says so.
   */
  async sizeOf(commit: CommitHash, sparse?: SparsePaths): Promise<number | undefined> {
    const maxBytes = Number.POSITIVE_INFINITY;
    return await this.#ifHere(async () => (await this.#size({ commit, maxBytes, sparse })) ?? 0);
  }

  async #size(wanted: Omit<Parameters<typeof sizeOfFiles>[0], "git" | "place">) {
    return await sizeOfFiles({ git: this.#git, place: this.place, ...wanted });
  }

  /** Undefined where a partial clone lacks what is read. It is not fetched only to warn of it. */
  async #ifHere<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      const mayLack = this.place.promisors.length > 0;
      if (mayLack && error instanceof SettError && error.code === "git-failed") return undefined;
      throw error;
    }
  }

  /** The commit itself. Throws `usage` when this repository does not have it. */
  async commit(hash: CommitHash): Promise<CommitHash> {
    if (await this.hasCommit(hash)) return hash;
    throw new SettError("usage", `The repository does not have commit ${hash}.`, {
      hint: (await this.#ifShallow()) ?? "Push or fetch it, then ask again.",
    });
  }

  /** The commit that a hash, a branch or a tag names. Throws `usage` where it names none here. */
  async resolve(name: string): Promise<CommitHash> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const found = await this.#try({ args });
    if (found.exitCode === 0) return CommitHash.parse(found.stdout.trim());
    throw new SettError("usage", `This repository has no commit \`${name}\`.`, {
      hint:
        this.#copy === undefined
          ? ((await this.#ifShallow()) ??
            "Name a hash, a branch or a tag: `git log --oneline` lists commits.")
          : "Only what agents see is here, without branches and tags: name a hash, or such as `HEAD~1`.",
    });
  }

  /** Says what to do where a commit may be older than the history that is here. */
  async #ifShallow(): Promise<string | undefined> {
    const ends = await readFile(join(this.place.commonDir, "shallow"), "utf8").catch(() => "");
    if (ends === "") return undefined;
    return "This is a shallow clone, without older commits: `git fetch --unshallow --tags` brings them.";
  }

  /** The first line of the commit's message. */
  async subject(commit: CommitHash): Promise<string> {
    const form = ["--no-walk", "--no-color", "--encoding=UTF-8", "--format=%s"];
    return (await this.#run({ args: ["log", ...form, commit, "--"] })).trim();
  }

  /** As the function of this name. */
  async changedPaths(from: CommitHash, to: CommitHash): Promise<string[]> {
    return await changedPaths((run) => this.#run(run), from, to);
  }

  /**
   * The names of all files of a commit, in latin1: one character for each byte. Undefined where a
   * partial clone lacks its folders.
   */
  async namesOf(commit: CommitHash): Promise<string[] | undefined> {
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
    const listed = await this.#ifHere(() => bytesOf((run) => this.#run(run), args));
    return listed?.toString("latin1").split("\0").filter(Boolean);
  }

  /**
   * Lists what `git status` shows: changed, staged and unknown files, not the ignored ones. Empty
   * when all is committed.
   */
  async dirtyFiles(onSlow?: (sentence: string) => void): Promise<DirtyFile[]> {
    if (this.place.isBare) return [];
    return await dirtyFiles((run) => this.#run(run), { git: this.#git, place: this.place, onSlow });
  }

  /**
   * Whether git knows the file, so that its commits have it. `path`: absolute, also outside of the
   * repository.
   */
  async isTracked(path: string): Promise<boolean> {
    const inside = relative(this.place.toplevel, path);
    if (this.place.isBare) return path.startsWith(`${filesPath(this.place)}/`);
    if (inside === "" || inside === ".." || inside.startsWith("../")) return false;
    const listed = await this.#run({
      args: ["--literal-pathspecs", "ls-files", "-z", "--full-name", "--", `./${inside}`],
    });
    return listed === `${inside}\0`;
  }

  /**
   * Returns where these files and folders of the commit are, for a bare repository. As
   * `commitFiles`.
   */
  async filesOf(commit: CommitHash, paths: readonly string[]): Promise<string> {
    await fetchFiles({ git: this.#git, place: this.place }, commit);
    return await commitFiles({ git: this.#git, place: this.place }, commit, paths);
  }

  /** Removes what `filesOf` has written of all other commits; of all where none is named. */
  async keepFilesOf(commit: CommitHash | undefined): Promise<void> {
    await keepCommitFiles(this.place, commit);
  }

  /** At a person's request. Throws git-failed and interrupted; the index is then as it was. */
  async commitNewFiles(files: NewFiles): Promise<string | undefined> {
    return await commitNewFiles(this.#git, this.place, files);
  }

  /** The branch that is checked out; undefined for a detached HEAD. */
  async branch(): Promise<string | undefined> {
    const found = await this.#try({ args: ["symbolic-ref", "--quiet", "--short", "HEAD"] });
    return found.exitCode === 0 ? found.stdout.trim() : undefined;
  }

  /** Whether HEAD, or `by`, has the commit in its history. */
  async isMerged(commit: CommitHash, by: CommitHash | "HEAD" = "HEAD"): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", commit, by];
    return (await this.#try({ args })).exitCode === 0;
  }

  /** The newest commit that is in the history of HEAD and of this one. */
  async commonWith(commit: CommitHash): Promise<CommitHash | undefined> {
    const found = await this.#try({ args: ["merge-base", "HEAD", commit] });
    return CommitHash.safeParse(found.stdout.trim()).data;
  }

  /**
   * The commit since which all that a merge into HEAD brings can be seen: the one that both have,
   * and HEAD itself where there are several; undefined where they have none in common.
   */
  async startOfMerge(commit: CommitHash): Promise<CommitHash | undefined> {
    const bases = await mergeBases({ try: (run) => this.#try(run) }, "HEAD", commit);
    return bases.length > 1 ? await this.head() : bases[0];
  }

  /**
   * The commit at HEAD or before it, and not before `since`, whose message has this line, from its
   * first character to its last. `line`: without characters that a regular expression would read.
   */
  async commitSaying(line: string, since: CommitHash | undefined): Promise<CommitHash | undefined> {
    const before = since === undefined || !(await this.hasCommit(since)) ? [] : [`^${since}`];
    const form = ["-1", "--format=%H", "--basic-regexp", `--grep=^${line}$`];
    const found = await this.#try({ args: ["log", ...form, "HEAD", ...before, "--"] });
    return CommitHash.safeParse(found.stdout.trim()).data;
  }

  /**
   * The artefact that the message of a commit names, as those of `sett merge` and of lanes do.
   * `start`: the beginning of its hash.
   */
  async artefactSaidBy(start: string): Promise<string | undefined> {
    const form = "--format=%(trailers:key=Sett-Artefact,valueonly)";
    const said = await this.#try({ args: ["log", "-1", form, start, "--"] });
    return said.stdout.trim().split("\n")[0] || undefined;
  }

  /** As `mergeCommit`: at a person's word alone. */
  async merge(merge: Merge): Promise<Merged> {
    return await mergeCommit(this.#git, this.place, merge);
  }

  /** As `revertCommits`: the repository gets a commit, at a person's word. */
  async revert(revert: Revert): Promise<Reverted> {
    return await revertCommits(this.#git, this.place, revert);
  }

  /** As `localClone`. */
  async cloneTo(folder: string, commit: CommitHash): Promise<void> {
    await localClone(this.#git, this.place, { folder, commit });
  }

  /** As `sshSignerIn`. */
  async sshSigner(): ReturnType<typeof sshSignerIn> {
    return await sshSignerIn(this.#git, this.place);
  }

  /**
   * Shows agents the commit that a goal starts from, or that a person has posted, and keeps it,
   * also when its branch changes: results are built on it. One that came through the API is kept by
   * a note until `fetchCommits`: its name here would name nothing, and stop git's clean-up.
   */
  async pin(instance: InstanceName, id: GoalId | ArtefactId, commit: CommitHash): Promise<void> {
    await this.#bring?.(this, commit);
    const { brought } = this.exchange(instance);
    if (!(await this.#hasItself(commit)) && (await brought.seen([commit])).length > 0)
      return await brought.name(id, commit);
    await this.exchange(instance).show([commit], this.#onProgress);
    const [ref, { owner, commonDir }] = [settRef(instance, id), this.place];
    // The API, which writes nothing but the name, could not write the log of it that a user may
    // want.
    const args = ["-c", "core.logAllRefUpdates=false", "update-ref", ref, commit];
    await sayingFullDisk(commonDir, () => this.#run({ args }));
    await changeOwner(
      owner,
      `${commonDir}/refs/sett`,
      `${commonDir}/refs/sett/${instance}`,
      `${commonDir}/${ref}`,
    );
    await packOwnRefs(this.#git, this.place, instance);
  }

  /** Undoes `pin`, for what was not posted. */
  async unpin(instance: InstanceName, id: GoalId | ArtefactId): Promise<void> {
    await this.exchange(instance).brought.forget(id);
    await this.#run({ args: ["update-ref", "-d", settRef(instance, id)] });
  }

  /** Whether it would have the commit without what it borrows for now. */
  async #hasItself(commit: CommitHash): Promise<boolean> {
    const args = ["cat-file", "-e", `${commit}^{commit}`];
    const run = { args, env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: "" } };
    return (await this.#try(run)).exitCode === 0;
  }

  /** The same repository, in which what the instance's agents see is there as well. */
  withSeen(instance: InstanceName): HostRepository {
    const { objectsDir } = this.exchange(instance).brought;
    const env = { ...this.#git.env, ...borrowing(objectsDir) };
    const options = withoutUndefined({ onProgress: this.#onProgress, packsOf: this.#packsOf });
    return new HostRepository({ ...this.#git, env }, this.place, options, this.#copy);
  }

  /**
   * Commits of the history of this one, itself first, then ever fewer of the older ones: with one
   * of them another repository may have most of it.
   */
  async landmarks(commit: CommitHash): Promise<CommitHash[]> {
    const newest = await this.#run({ args: ["rev-list", "--max-count=24", commit, "--"] });
    const older = Array.from({ length: 16 }, (_, power) => `${commit}~${2 ** (power + 4)}`);
    const stdin = older.map((name) => `${name}\n`).join("");
    const found = await this.#run({ args: ["cat-file", "--batch-check=%(objectname)"], stdin });
    const hashes = `${newest}${found}`.split("\n").map((line) => CommitHash.safeParse(line).data);
    return [...new Set([commit, ...hashes])].filter((hash) => hash !== undefined);
  }

  /** The first commits of its history, as far as this repository has it. */
  async roots(commit: CommitHash): Promise<CommitHash[]> {
    const args = ["rev-list", "--max-parents=0", "--max-count=16", commit, "--"];
    const lines = (await this.#run({ args })).split("\n").filter((line) => line !== "");
    return lines.map((line) => CommitHash.parse(line));
  }

  /** A pack of what the commit needs beyond those. It may build on their objects. */
  async packBeyond(
    commit: CommitHash,
    there: readonly CommitHash[],
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void> {
    const stdin = revisionsOf(commit, there);
    const args = ["pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "--quiet"];
    await this.#run({ args, stdin, onStdout: onChunk });
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

  /** How an instance's agents get commits from here and give back theirs. */
  exchange(instance: InstanceName): HostExchange {
    const folders = new HostFolders(this.#git, this.place, instance);
    return new HostPacks(folders, async () => await this.#packsOf?.(instance), this.#copy);
  }

  /** The artefacts whose commits this repository has by name already. */
  async knownResults(instance: InstanceName): Promise<Set<string>> {
    const args = ["for-each-ref", "--format=%(refname)", `refs/sett/${instance}/`];
    const refs = (await this.#run({ args })).split("\n");
    return new Set(refs.map((ref) => ref.slice(ref.lastIndexOf("/") + 1)));
  }

  /** A pack of what the commit needs beyond the others, as it is made. Throws git-failed. */
  async writePack(
    commit: CommitHash,
    there: readonly CommitHash[],
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void> {
    const stdin = revisionsOf(commit, there);
    const args = ["pack-objects", "--revs", "--delta-base-offset", "--stdout", "--quiet"];
    await this.#run({ args, stdin, onStdout: onChunk }, limited(this.#git));
  }

  /** As `readOutgoing` of outgoing.ts. */
  async outgoing(commit: CommitHash, there: readonly string[]): Promise<Outgoing> {
    return await readOutgoing({ git: limited(this.#git), place: this.place }, commit, there);
  }

  /** Imports commits from elsewhere, each checked on the way like one of an agent here. */
  async importPacks(
    instance: InstanceName,
    results: readonly (RecordedCommit & { readonly artefact: ArtefactId })[],
    packOf: (artefact: ArtefactId) => Promise<Uint8Array>,
  ): Promise<ImportedCommits> {
    const exchange = this.exchange(instance);
    await using _ = await exchange.bring(results, ({ artefact }) => packOf(artefact));
    return await this.fetchCommits(instance, results);
  }

  /**
   * Lets the API post goals from its container: it writes their names, and what agents see of them.
   * Throws repository-unusable.
   */
  async openToApi(instance: InstanceName): Promise<void> {
    await openNames(this.place, instance);
    await this.exchange(instance).openToApi();
  }

  /**
   * Imports the commits of artefacts under the names of `settRef`, and takes them out of the
   * exchange. `results`: the oldest first. With them comes what people brought through the API.
   */
  async fetchCommits(
    instance: InstanceName,
    results: readonly (RecordedCommit & { readonly artefact: ArtefactId })[],
  ): Promise<ImportedCommits> {
    const named = results.map(({ artefact, commit, agent }) => ({
      ref: settRef(instance, artefact),
      commit,
      agent,
    }));
    const known = new Set(named.map(({ ref }) => ref));
    const brought = (await this.exchange(instance).brought.named())
      .map(({ id, commit }) => ({ ref: settRef(instance, id), commit, agent: "" as const }))
      .filter(({ ref }) => !known.has(ref));
    const all = [...brought, ...named];
    return await sayingFullDisk(this.place.commonDir, () =>
      importCommits(this.#with(instance), all),
    );
  }

  /**
   * Takes what people brought through the API into the repository, where no result does so: a store
   * that is made anew, and a back-up, have what the repository has by name.
   */
  async nameBrought(instance: InstanceName): Promise<void> {
    const named = await this.exchange(instance).brought.named();
    if (named.length > 0) await this.fetchCommits(instance, []);
  }

  /** As the function of this name. */
  async keepCheckpoint(instance: InstanceName, checkpoint: string): Promise<void> {
    await keepCheckpoint(this.#git, this.place, instance, checkpoint);
  }

  /** As the function of this name. */
  async keepNote(note: Parameters<typeof keepNote>[2]): Promise<void> {
    await keepNote(this.#git, this.place, note);
  }

  /** The commits among these that are here, as git has them. Throws git-failed. */
  async readCommits(commits: Iterable<CommitHash>): Promise<Map<string, Buffer>> {
    return await readObjects((run) => this.#run(run), commits);
  }

  /** As the function of this name. */
  async pushCheckpoints(instance: InstanceName, remote: string): Promise<void> {
    await pushCheckpoints(this.#git, this.place, instance, remote);
  }

  /** As `listCheckpoints`. */
  async listCheckpoints(): Promise<KeptCheckpoint[]> {
    return await listCheckpoints((run) => this.#run(run));
  }

  /** Lets the names of lanes follow their tips. Throws git-failed. */
  async moveLanes(instance: InstanceName, lanes: Parameters<typeof moveLanes>[3]): Promise<void> {
    await moveLanes(this.#git, this.place, instance, lanes);
  }

  /**
   * Reads commits of artefacts beside this repository, which stays as it is: `take` resolves with a
   * view of it that has them, too. `folder`: for this process alone.
   */
  async openResults(
    instance: InstanceName,
    folder: string,
  ): Promise<{
    take(results: readonly RecordedCommit[]): Promise<CommitReader>;
  }> {
    const reader = await ResultsReader.open(this.#with(instance), folder);
    return {
      take: async (results) => {
        const { objectsDir, unpublished } = await reader.take(results);
        const env = { ...this.#git.env, ...borrowing(objectsDir) };
        const view = new HostRepository({ ...this.#git, env }, this.place);
        return withoutCommits(view, this.#copy === undefined ? unpublished : new Set());
      },
    };
  }

  /** As `writeBundle` of results-bundle.ts. */
  async writeResults(
    instance: InstanceName,
    onChunk: (chunk: Uint8Array) => void,
    { signal, beyond }: { signal?: AbortSignal; beyond?: readonly CommitHash[] } = {},
  ): Promise<number> {
    const git = { ...this.#git, signal };
    return await writeBundle({ git, place: this.place, instance }, onChunk, beyond);
  }

  /** As `readBundle` of results-bundle.ts. */
  async readResults(instance: InstanceName, path: string, signal?: AbortSignal): Promise<void> {
    const git = { ...this.#git, signal };
    await readBundle({ git, place: this.place, instance }, path);
  }

  /** As `eraseCommits`: at a person's word alone. */
  async eraseCommits(
    instance: InstanceName,
    results: readonly { artefact: ArtefactId; commit: CommitHash }[],
  ): Promise<ErasedCommits> {
    const refs = results.map(({ artefact }) => settRef(instance, artefact));
    const commits = [...new Set(results.map(({ commit }) => commit))];
    const source = { ...this.#with(instance), git: this.#git };
    // What people brought may have been made from them, and counts by its name alone.
    await this.nameBrought(instance);
    return await eraseCommits(source, refs, commits);
  }

  /** Removes the refs of every goal and result of an instance; what was merged stays. */
  async removeRefs(instance: InstanceName): Promise<void> {
    const refs = await this.#run({
      args: ["for-each-ref", "--format=delete %(refname)", `refs/sett/${instance}/`],
    });
    if (refs !== "") await this.#run({ args: ["update-ref", "--stdin"], stdin: refs });
    await closeNames(this.place, instance);
  }

  /**
   * Shows what a result changes, as it is stored: no attribute, mailmap or setting hides any of it.
   * As `showChanges`.
   */
  async showChanges(work: Work, detail: ChangeDetail = "files", since?: Earlier): Promise<string> {
    await using view = await PlainView.make(this.#showing, this.place);
    return await showChanges(view, work, detail, since);
  }

  /** git reads within limits what agents have made. */
  #with(instance: InstanceName): Source {
    const [git, exchange] = [limited(this.#git), this.exchange(instance)];
    return { git, place: this.place, instance, exchange };
  }

  async #run(run: GitRun, git = this.#git): Promise<string> {
    return await runGit(git, inPlace(this.place, run));
  }

  async #try(run: GitRun): Promise<GitResult> {
    return await tryGit(this.#git, inPlace(this.place, run));
  }
}

/** What the commit reaches, and the others do not. */
function revisionsOf(commit: CommitHash, others: readonly CommitHash[]): string {
  return [commit, ...others.map((other) => `^${other}`)].map((line) => `${line}\n`).join("");
}

function inPlace({ gitDir, toplevel, isBare }: RepositoryPlace, run: GitRun): GitRun {
  return {
    ...run,
    args: [`--git-dir=${gitDir}`, ...(isBare ? [] : [`--work-tree=${toplevel}`]), ...run.args],
    cwd: toplevel,
  };
}
