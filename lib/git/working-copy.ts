// An agent's own working copy, made inside its container from objects that the agent may only read.
import { access, chmod, constants, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import type { AgentName, CommitHash } from "../model/ids.ts";
import { CleanView } from "./clean-view.ts";
import type { RecordedCommit } from "./exchange.ts";
import { FolderOfAgents } from "./folder-of-agents.ts";
import { readDepth } from "./object-store.ts";
import { publishCommit, removeStrangers } from "./publish.ts";
import { emptyFolder, makeFoldersWritable, removeSpecialFiles, removeTree } from "./remove-tree.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";
import { makeStore, takeCommit } from "./take-commit.ts";

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
  /** How long the first try of a checkout may take; two minutes without it. */
  readonly firstCheckoutMs?: number;
}

/** A tool may have left a pipe in place of a file that git reads. What takes longer is done once more, without such files. */
const firstCheckoutMs = 2 * 60_000;

/**
 * Each grant begins with the files of its base. Those that are the same as before stay where they are, which the index of the checkout
 * before shows; it is kept here, because a tool could write into its own that a file which it has changed is unchanged. `.git` is made
 * anew each time, so that configuration, hooks, branches, locks or an unfinished merge of a tool end with its grant. After the tool its
 * repository is only read through a `CleanView`. Every call names the repository explicitly: git then searches for none and does not check
 * its owner.
 */
export class WorkingCopy {
  readonly #options: WorkingCopyOptions;
  readonly #git: Git;
  readonly #gitDir: string;
  /** The commits on record that the grant is about. */
  #given: ReadonlySet<CommitHash> = new Set();
  #checkedOut: { index: Uint8Array; writtenAt: Date } | undefined;
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
  }

  /**
   * Puts the working copy at `base`, detached, with no file but those of `base` and the ignored ones that are kept, and brings the commits
   * `given` from the exchange, where they can be had. Throws git-failed.
   */
  async prepare(base: CommitHash, given: readonly RecordedCommit[] = []): Promise<void> {
    const { workspaceDir } = this.#options;
    this.#given = new Set(given.map(({ commit }) => commit));
    this.#view = undefined;
    await this.#requireWorkspace();
    const repairs = [undefined, repair, emptyFolder];
    for (const [tries, mend] of repairs.entries()) {
      try {
        await mend?.(workspaceDir);
        await this.#remakeRepository(base);
        await this.#bring(base, given);
        await this.#checkOut(base, tries === 0 ? { timeMs: this.#options.firstCheckoutMs ?? firstCheckoutMs } : undefined);
        return;
      } catch (error) {
        if (error instanceof CommitMissing || tries === repairs.length - 1) throw error;
      }
    }
  }

  /** After a run that has written too much: empties the working copy, and removes what has no place in the agent's folder of the exchange. */
  async discard(): Promise<void> {
    const { workspaceDir, exchangeDir, agentName } = this.#options;
    this.#checkedOut = undefined;
    this.#view = undefined;
    await emptyFolder(workspaceDir);
    await removeStrangers(join(exchangeDir, agentName));
  }

  /** See `CleanView`, for this and what follows. */
  async head(): Promise<CommitHash> {
    return await (await this.#clean()).head();
  }

  async resolveCommit(text: string): Promise<CommitHash | undefined> {
    return await (await this.#clean()).resolveCommit(text);
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
    const { agentName, objectsDir, exchangeDir } = this.#options;
    const folder = join(exchangeDir, agentName);
    const { git, gitDir } = await this.#clean();
    await publishCommit({ git, gitDir, objectsDir, folder, commit, start });
  }

  async #clean(): Promise<CleanView> {
    const { workspaceDir, objectsDir } = this.#options;
    const depth = await readDepth(objectsDir);
    this.#view ??= CleanView.make({ git: this.#git, workspaceDir, objectFormat: this.#objectFormat, depth });
    return await this.#view;
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

  async #checkOut(base: CommitHash, limits: Git["limits"]): Promise<void> {
    this.#checkedOut = undefined;
    await this.#run({ args: ["checkout", "--quiet", "--force", "--detach", base, "--"] }, limits);
    // Forced twice, so that a repository that the tool made inside is removed as well.
    const ignored = this.#options.keepsIgnored ? [] : ["-x"];
    await this.#run({ args: ["clean", "-d", "--force", "--force", "--quiet", ...ignored] }, limits);
    await this.#emptySubmodules();
    const path = join(this.#gitDir, "index");
    const { mtime: writtenAt } = await stat(path);
    this.#checkedOut = { index: await readFile(path), writtenAt };
  }

  /** Git leaves what is in the folder of a submodule, which has no repository here. */
  async #emptySubmodules(): Promise<void> {
    const entries = (await this.#run({ args: ["ls-files", "--stage", "-z"] })).split("\0");
    const gitLink = /^160000 [^\t]*\t/;
    for (const entry of entries.filter((each) => gitLink.test(each))) {
      await emptyFolder(join(this.#options.workspaceDir, entry.replace(gitLink, "")));
    }
  }

  async #run(run: GitRun, limits = this.#git.limits): Promise<string> {
    return await runGit({ ...this.#git, ...(limits && { limits }) }, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { workspaceDir } = this.#options;
    return { ...run, args: [`--git-dir=${this.#gitDir}`, `--work-tree=${workspaceDir}`, ...run.args], cwd: workspaceDir };
  }
}

async function repair(path: string): Promise<void> {
  await makeFoldersWritable(path);
  await removeSpecialFiles(path);
}

class CommitMissing extends SettError {
  constructor(base: CommitHash, problem = "") {
    const why = problem === "" ? "" : ` ${problem}`;
    super("git-failed", `Commit ${base} is neither in the workspace nor in the exchange.${why}`, {
      hint: "Was the commit amended, or the goal's ref removed? Post the goal again.",
    });
  }
}

/** Defaults for the tool's own git. It needs no clean-up, because the repository exists only as long as the grant. */
function ownConfig(agentName: AgentName): string {
  return [
    `[user]\n\tname = ${agentName}\n\temail = ${agentName}@sett.invalid\n`,
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n",
  ].join("");
}
