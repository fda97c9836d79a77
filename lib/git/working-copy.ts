// An agent's own working copy, made inside its container from objects that the agent may only read.
import { access, chmod, constants, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import { type AgentName, CommitHash } from "../model/ids.ts";
import type { RecordedCommit } from "./exchange.ts";
import { FolderOfAgents } from "./folder-of-agents.ts";
import { readDepth } from "./object-store.ts";
import { OwnPacks } from "./own-packs.ts";
import { publishCommit } from "./publish.ts";
import { emptyFolder, makeFoldersWritable, removeTree } from "./remove-tree.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";
import { makeStore, takeCommit } from "./take-commit.ts";
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
}

/**
 * Each grant begins with the files of its base. Those that are the same as before stay where they are, which the index of the checkout
 * before shows; it is kept here, because a tool could write into its own that a file which it has changed is unchanged. `.git` is made
 * anew each time, so that configuration, hooks, branches, locks or an unfinished merge of a tool end with its grant. Every call names the
 * repository explicitly: git then searches for none and does not check its owner.
 */
export class WorkingCopy {
  readonly #options: WorkingCopyOptions;
  #git: Git;
  readonly #gitDir: string;
  readonly #packs: OwnPacks;
  /** The commits on record that the grant is about. */
  #given: ReadonlySet<CommitHash> = new Set();
  #checkedOut: { base: CommitHash; index: Uint8Array; writtenAt: Date } | undefined;

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
    const { workspaceDir } = this.#options;
    this.#given = new Set(given.map(({ commit }) => commit));
    await this.#requireWorkspace();
    const repairs = [undefined, makeFoldersWritable, emptyFolder];
    for (const [tries, repair] of repairs.entries()) {
      try {
        await repair?.(workspaceDir);
        await this.#remakeRepository(base);
        await this.#bring(base, given);
        if (maxBytes !== undefined) await this.#requireRoom(base, maxBytes);
        await this.#checkOut(base);
        return;
      } catch (error) {
        const isFinal = error instanceof CommitMissing || error instanceof CommitTooLarge || signal?.aborted;
        if (isFinal || tries === repairs.length - 1) throw error;
      }
    }
  }

  /** Removes all from the agent's folder of the exchange that was not published. Never rejects. */
  tidyFolder(): Promise<void> {
    return this.#packs.tidy();
  }

  /** After a run that has written too much: empties the working copy as well. */
  async discard(): Promise<void> {
    this.#checkedOut = undefined;
    await this.#packs.tidy();
    await emptyFolder(this.#options.workspaceDir);
  }

  /** The commit of HEAD, detached or on a branch. Throws git-failed when there is none. */
  async head(): Promise<CommitHash> {
    return CommitHash.parse((await this.#run({ args: ["rev-parse", "--verify", "HEAD^{commit}"] })).trim());
  }

  /**
   * The commit that `text` names by its full hash, or by 7 or more of its first digits when no other commit begins so. Anything
   * else is undefined, also the name of a branch that looks like a hash.
   */
  async resolveCommit(text: string): Promise<CommitHash | undefined> {
    const digits = text.trim().toLowerCase();
    if (!/^[0-9a-f]{7,64}$/.test(digits)) return undefined;
    const candidates = await tryGit(this.#git, this.#inRepository({ args: ["rev-parse", `--disambiguate=${digits}`] }));
    if (candidates.exitCode !== 0 || candidates.stdout === "") return undefined;
    const types = await this.#run({ args: ["cat-file", "--batch-check=%(objecttype) %(objectname)"], stdin: candidates.stdout });
    const commits = types.split("\n").filter((line) => line.startsWith("commit "));
    const [only, ...others] = commits;
    return only === undefined || others.length > 0 ? undefined : CommitHash.parse(only.slice("commit ".length));
  }

  /** True when others have the commit: it is in the workspace, or on record. */
  async isShared(commit: CommitHash): Promise<boolean> {
    if (this.#given.has(commit)) return true;
    const git = { path: this.#git.path, env: { ...this.#git.env, GIT_OBJECT_DIRECTORY: this.#options.objectsDir } };
    return (await tryGit(git, this.#inRepository({ args: ["cat-file", "-e", `${commit}^{commit}`] }))).exitCode === 0;
  }

  /**
   * What the commits from `base` to `commit` have added: their messages, the names of files, and lines with all bytes, also those that a later
   * one removes again. In pieces of any size.
   */
  async readAdded(commit: CommitHash, base: CommitHash, onChunk: (chunk: Uint8Array) => void): Promise<void> {
    const format = "--format=%an%n%ae%n%cn%n%ce%n%B";
    const whole = ["--cc", "--text", "--unified=0", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"];
    await this.#run({ args: ["log", format, ...whole, `${base}..${commit}`, "--"], onStdout: onChunk });
  }

  /**
   * Puts `commit` and all that it needs beyond `start`, the commit that its goal was stated on, into the exchange. A repeat changes nothing.
   * Throws git-failed when something that the commit needs is missing.
   */
  async publish(commit: CommitHash, start: CommitHash | undefined): Promise<void> {
    const [{ objectsDir }, { folder }] = [this.#options, this.#packs];
    await publishCommit({ git: this.#git, gitDir: this.#gitDir, objectsDir, folder, commit, start });
    await this.#packs.note(commit);
  }

  async #requireWorkspace(): Promise<void> {
    const { workspaceDir } = this.#options;
    try {
      await mkdir(workspaceDir, { recursive: true });
      const isOpen = access(workspaceDir, constants.R_OK | constants.W_OK | constants.X_OK);
      await isOpen.catch(() => chmod(workspaceDir, 0o755));
    } catch (cause) {
      const hint = "The agent's user must own that folder.";
      throw new SettError("git-failed", `No working copy can be made in ${workspaceDir}.`, { hint, cause });
    }
  }

  /** A new `.git` with the index of the last checkout, which shows the files that need not be written again. */
  async #remakeRepository(base: CommitHash): Promise<void> {
    await removeTree(this.#gitDir);
    // The length of a hash shows the format of the objects.
    const format = base.length === 64 ? "sha256" : "sha1";
    await this.#run({ args: ["init", "--quiet", "--template=", `--object-format=${format}`, "--initial-branch=main"] });
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
    const wanted = new Map([{ commit: base, agent: "" as const }, ...given].map((each) => [each.commit, each]));
    let missing = await this.#missing([...wanted.values()]);
    if (missing.length === 0) return;
    const taking = { git: this.#git, gitDir: this.#gitDir, objectsDir: join(this.#gitDir, "objects") };
    const problems = new Map<CommitHash, string>();
    const untried = () => missing.find(({ commit }) => !problems.has(commit));
    using exchange = FolderOfAgents.open(this.#options.exchangeDir);
    for (let next = untried(); next !== undefined && exchange !== undefined; next = untried()) {
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

  async #checkOut(base: CommitHash): Promise<void> {
    this.#checkedOut = undefined;
    await this.#run({ args: ["checkout", "--quiet", "--force", "--detach", base, "--"] });
    // Forced twice, so that a repository that the tool made inside is removed as well.
    const ignored = this.#options.keepsIgnored ? [] : ["-x"];
    await this.#run({ args: ["clean", "-d", "--force", "--force", "--quiet", ...ignored] });
    await this.#emptySubmodules();
    const path = join(this.#gitDir, "index");
    const { mtime: writtenAt } = await stat(path);
    this.#checkedOut = { base, index: await readFile(path), writtenAt };
  }

  /** Git leaves what is in the folder of a submodule, which has no repository here. */
  async #emptySubmodules(): Promise<void> {
    const entries = (await this.#run({ args: ["ls-files", "--stage", "-z"] })).split("\0");
    const gitLink = /^160000 [^\t]*\t/;
    for (const entry of entries.filter((each) => gitLink.test(each))) {
      await emptyFolder(join(this.#options.workspaceDir, entry.replace(gitLink, "")));
    }
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.#git, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { workspaceDir } = this.#options;
    return { ...run, args: [`--git-dir=${this.#gitDir}`, `--work-tree=${workspaceDir}`, ...run.args], cwd: workspaceDir };
  }
}

/** Defaults for the tool's own git. It needs no clean-up, because the repository exists only as long as the grant. */
function ownConfig(agentName: AgentName): string {
  return [
    `[user]\n\tname = ${agentName}\n\temail = ${agentName}@sett.invalid\n`,
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n",
  ].join("");
}
