// An agent's own working copy, made inside its container from objects that the agent may only read.
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyFolder, mendFolder, removeTree } from "../folders/remove-tree.ts";
import type { AgentName, CommitHash } from "../model/ids.ts";
import { bytesOf } from "./bytes-of.ts";
import { CleanView } from "./clean-view.ts";
import type { RecordedCommit } from "./exchange.ts";
import { FolderOfAgents } from "./folder-of-agents.ts";
import { ownConfig } from "./own-config.ts";
import { OwnPacks } from "./own-packs.ts";
import { publishCommit } from "./publish.ts";
import { requireWorkspace } from "./require-workspace.ts";
import { type Git, type GitRun, gitFailure, runGit, tryGit } from "./run-git.ts";
import { readDepth } from "./store-notes.ts";
import { makeStore, takeCommit } from "./take-commit.ts";
import { TrackedFiles } from "./tracked-files.ts";
import { clearFolders, foldersOf } from "./tracked-folders.ts";
import { takesMoreThan } from "./tree-size.ts";
import { type CheckoutLimits, CommitMissing, CommitTooLarge } from "./unusable-commit.ts";

export interface WorkingCopyOptions {
  /** In an agent's container the git beside the cub, with the environment that it needs there. */
  readonly git: Git;
  /** The author of the commits that the tool makes, unless the tool's own git is configured otherwise. */
  readonly agentName: AgentName;
  /** The workspace's object store, read-only: `/git/objects`. */
  readonly objectsDir: string;
  /** The exchange, where only the agent's own folder may be writable: `/git/exchange`. */
  readonly exchangeDir: string;
  /** The agent's own volume: `/workspace`. */
  readonly workspaceDir: string;
  /** True: files that git ignores stay for the next grant. */
  readonly keepsIgnored?: boolean;
  /** True: other containers of the agent publish in its folder as well. */
  readonly isFolderShared?: boolean;
  /** How long the first try of a checkout may take; two minutes without it. */
  readonly firstCheckoutMs?: number;
}

/** A tool may have left a pipe where git reads: what takes longer is done once more, without such files. */
const firstMs = 2 * 60_000;

/**
 * Each grant begins with the files of its base. Those that are the same as before stay where they are, which the index of the checkout
 * before shows; it is kept here, because a tool could write into its own that a file which it has changed is unchanged. `.git` is made
 * anew each time, so that configuration, hooks, branches, locks or an unfinished merge of a tool end with its grant. After the tool its
 * repository is only read through a `CleanView`. Every call names the repository explicitly: git then searches for none and does not check
 * its owner.
 */
export class WorkingCopy {
  readonly #options: WorkingCopyOptions;
  #git: Git;
  readonly #gitDir: string;
  readonly #packs: OwnPacks;
  /** The commits on record that the grant is about. */
  #given: ReadonlySet<CommitHash> = new Set();
  #checkedOut: { base: CommitHash; folders: readonly string[]; index: Uint8Array; writtenAt: Date } | undefined;
  #objectFormat: "sha1" | "sha256" = "sha1";
  /** Of the repository that the tool has left; made when it is first needed. */
  #view: Promise<CleanView> | undefined;

  constructor(options: WorkingCopyOptions) {
    this.#options = options;
    this.#git = {
      path: options.git.path,
      // Neither the image nor a home folder configures the cub's git.
      env: { ...options.git.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" },
    };
    this.#gitDir = join(options.workspaceDir, ".git");
    this.#packs = new OwnPacks(join(options.exchangeDir, options.agentName), options.isFolderShared ?? false);
  }

  /**
   * Puts the working copy at `base`, detached, with no file but those of `base` and the ignored ones that are kept, and brings the commits
   * `given` from the exchange, where they can be had. Throws git-failed, also for files that take more than they may.
   */
  async prepare(base: CommitHash, given: readonly RecordedCommit[] = [], limits: CheckoutLimits = {}): Promise<void> {
    const unlimited = this.#git;
    this.#git = { ...unlimited, signal: limits.signal };
    try {
      await this.#prepare(base, given, limits);
    } finally {
      this.#git = unlimited;
    }
  }

  async #prepare(base: CommitHash, given: readonly RecordedCommit[], { maxBytes, signal }: CheckoutLimits): Promise<void> {
    this.#given = new Set(given.map(({ commit }) => commit));
    this.#view = undefined;
    await requireWorkspace(this.#options.workspaceDir);
    const repairs = [undefined, mendFolder, emptyFolder];
    for (const [tries, mend] of repairs.entries()) {
      try {
        await mend?.(this.#options.workspaceDir);
        await this.#remakeRepository(base);
        await this.#bring(base, given);
        if (maxBytes !== undefined) await this.#requireRoom(base, maxBytes);
        await this.#checkOut(base, tries === 0 ? { timeMs: this.#options.firstCheckoutMs ?? firstMs } : undefined);
        return;
      } catch (error) {
        const isFinal = error instanceof CommitMissing || error instanceof CommitTooLarge || signal?.aborted;
        if (isFinal || tries === repairs.length - 1) throw error;
      }
    }
  }

  /** Removes all from the agent's folder of the exchange that was not published. Throws where something stays. */
  tidyFolder(): Promise<void> {
    return this.#packs.tidy();
  }

  /** After a run that has written too much: empties the working copy as well. */
  async discard(): Promise<void> {
    this.#checkedOut = undefined;
    this.#view = undefined;
    await emptyFolder(this.#options.workspaceDir).finally(() => this.#packs.tidy());
  }

  /** See `CleanView`, for this and what follows. */
  async head(): Promise<CommitHash> {
    return (await this.#clean()).head();
  }

  async resolveCommit(text: string): Promise<CommitHash | undefined> {
    return (await this.#clean()).resolveCommit(text);
  }

  async readCommits(...args: Parameters<CleanView["readCommits"]>): Promise<void> {
    await (await this.#clean()).readCommits(...args);
  }

  async readAdded(...args: Parameters<CleanView["readAdded"]>): Promise<void> {
    await (await this.#clean()).readAdded(...args);
  }

  /** True when others have the commit: it is in the workspace, or on record. */
  async isShared(commit: CommitHash): Promise<boolean> {
    if (this.#given.has(commit)) return true;
    const { git, gitDir } = await this.#clean();
    const env = { GIT_OBJECT_DIRECTORY: this.#options.objectsDir };
    return (await tryGit(git, { args: [`--git-dir=${gitDir}`, "cat-file", "-e", `${commit}^{commit}`], env })).exitCode === 0;
  }

  /**
   * Puts `commit` and all that it needs beyond `start`, the commit that its goal was stated on, into the exchange. A repeat changes nothing.
   * Throws git-failed when something that the commit needs is missing.
   */
  async publish(commit: CommitHash, start: CommitHash | undefined): Promise<void> {
    const [{ objectsDir }, { folder }] = [this.#options, this.#packs];
    const { git, gitDir } = await this.#clean();
    await publishCommit({ git, gitDir, objectsDir, folder, commit, start });
    await this.#packs.note(commit);
  }

  async #clean(): Promise<CleanView> {
    const { workspaceDir, objectsDir } = this.#options;
    const depth = await readDepth(objectsDir);
    this.#view ??= CleanView.make({ git: this.#git, workspaceDir, objectFormat: this.#objectFormat, depth });
    return this.#view;
  }

  /** A new `.git` with the index of the last checkout, which shows the files that need not be written again. */
  async #remakeRepository(base: CommitHash): Promise<void> {
    await removeTree(this.#gitDir);
    // The length of a hash shows the format of the objects.
    this.#objectFormat = base.length === 64 ? "sha256" : "sha1";
    const format = `--object-format=${this.#objectFormat}`;
    await this.#run({ args: ["init", "--quiet", "--template=", format, "--initial-branch=main"] });
    await mkdir(join(this.#gitDir, "info"), { recursive: true });
    await makeStore(join(this.#gitDir, "objects"), this.#options.objectsDir);
    const depth = await readDepth(this.#options.objectsDir);
    if (depth !== undefined) await writeFile(join(this.#gitDir, "shallow"), depth);
    await writeFile(join(this.#gitDir, "config"), ownConfig(this.#options.agentName), { flag: "a" });
    if (this.#checkedOut === undefined) return;
    const { index, writtenAt } = this.#checkedOut;
    const path = join(this.#gitDir, "index");
    await writeFile(path, index);
    // By this time git knows which files may have been changed in the same moment, and compares those.
    await utimes(path, writtenAt, writtenAt);
  }

  /** Copies what the workspace does not have out of the exchange. Only `base` must be there: what else is missing the tool will see. */
  async #bring(base: CommitHash, given: readonly RecordedCommit[]): Promise<void> {
    const all = given.some(({ commit }) => commit === base) ? given : [{ commit: base, agent: "" as const }, ...given];
    let missing = await this.#missing(all);
    if (missing.length === 0) return;
    const taking = { git: this.#git, gitDir: this.#gitDir, objectsDir: join(this.#gitDir, "objects") };
    const [problems, tried] = [new Map<CommitHash, string>(), new Set<RecordedCommit>()];
    const untried = () => missing.find((each) => !tried.has(each));
    using exchange = FolderOfAgents.open(this.#options.exchangeDir);
    for (let next = untried(); next !== undefined && exchange !== undefined; next = untried()) {
      tried.add(next);
      problems.set(next.commit, (await takeCommit(taking, exchange, next)) ?? "");
      // A later commit has often brought the ones before it.
      missing = await this.#missing(missing);
    }
    if (missing.some(({ commit }) => commit === base)) throw new CommitMissing(base, problems.get(base));
  }

  async #missing(commits: readonly RecordedCommit[]): Promise<RecordedCommit[]> {
    const stdin = commits.map(({ commit }) => `${commit}^{commit}\n`).join("");
    const lines = (await this.#run({ args: ["cat-file", "--batch-check=%(objecttype)"], stdin })).split("\n");
    return commits.filter((_, index) => lines[index] !== "commit");
  }

  /** What fitted before fits again. */
  async #requireRoom(base: CommitHash, maxBytes: number): Promise<void> {
    if (this.#checkedOut?.base === base) return;
    if (await takesMoreThan(this.#git, base, maxBytes, (run) => this.#inRepository(run))) throw new CommitTooLarge(base);
  }

  async #checkOut(base: CommitHash, limits: Git["limits"]): Promise<void> {
    const { workspaceDir, keepsIgnored = false } = this.#options;
    const run = (each: GitRun) => this.#run(each);
    const before = this.#checkedOut;
    this.#checkedOut = undefined;
    const folders = before?.base === base ? before.folders : await foldersOf(run, base);
    await clearFolders(workspaceDir, new Set([...(before?.folders ?? []), ...folders]), keepsIgnored);
    // Before the checkout as well, which goes by attributes that an untracked file names.
    await this.#clear(limits);
    await this.#run({ args: ["checkout", "--quiet", "--force", "--detach", base, "--"] }, limits);
    // What the commit before had ignored.
    if (keepsIgnored) await this.#clear(limits);
    const tracked = new TrackedFiles(workspaceDir, await bytesOf(run, ["ls-files", "--stage", "-z"]));
    await tracked.emptySubmodules();
    // Git has noted when they were last changed.
    if (await tracked.resetModes()) await this.#run({ args: ["update-index", "-q", "--refresh"] }, limits);
    const path = join(this.#gitDir, "index");
    this.#checkedOut = { base, folders, index: await readFile(path), writtenAt: (await stat(path)).mtime };
  }

  /** Removes what git does not track. Git only warns of a folder in which it cannot look. */
  async #clear(limits: Git["limits"]): Promise<void> {
    // Forced twice, so that a repository that the tool made inside is removed as well.
    const args = ["clean", "-d", "--force", "--force", "--quiet", ...(this.#options.keepsIgnored ? [] : ["-x"])];
    const run = this.#inRepository({ args });
    const result = await tryGit({ ...this.#git, ...(limits && { limits }) }, run);
    if (result.exitCode !== 0 || result.stderr.includes("could not open directory")) throw gitFailure(run, result);
  }

  async #run(run: GitRun, limits = this.#git.limits): Promise<string> {
    return await runGit({ ...this.#git, ...(limits && { limits }) }, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { workspaceDir: cwd } = this.#options;
    return { ...run, args: [`--git-dir=${this.#gitDir}`, `--work-tree=${cwd}`, ...run.args], cwd };
  }
}
