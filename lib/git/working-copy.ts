// An agent's own working copy, made inside its container from objects that the agent may only read.
import { access, chmod, constants, lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import { type AgentName, CommitHash } from "../model/ids.ts";
import { publishCommit } from "./publish.ts";
import { emptyFolder, makeFoldersWritable, removeTree } from "./remove-tree.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";
import { readDepth } from "./shallow.ts";

export interface WorkingCopyOptions {
  /** In an agent's container the git beside the cub, with the environment that it needs there. */
  readonly git: Git;
  /** The author of the commits that the tool makes, unless the tool's own git is configured otherwise. */
  readonly agentName: AgentName;
  /** The workspace's object store, read-only: `/git/objects`. */
  readonly objectsDir: string;
  /** The exchange; it may be missing or read-only as long as the agent publishes nothing: `/git/sett/exchange.git`. */
  readonly exchangeDir: string;
  /** The agent's own volume: `/workspace`. */
  readonly workspaceDir: string;
  /** True for an agent that starts each grant with an empty working copy: then ignored files are removed too. */
  readonly isFresh?: boolean;
}

/**
 * Between grants the working copy keeps only ignored files (caches) and git's index of unchanged files: its `.git` is made anew each time,
 * so that configuration, hooks, branches, locks or an unfinished merge of a tool end with its grant. Every call names the repository
 * explicitly: git then searches for none and does not check its owner.
 */
export class WorkingCopy {
  readonly #options: WorkingCopyOptions;
  readonly #git: Git;
  readonly #gitDir: string;

  constructor(options: WorkingCopyOptions) {
    this.#options = options;
    this.#git = {
      path: options.git.path,
      // Neither the image nor a home folder configures the cub's git.
      env: { ...options.git.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" },
    };
    this.#gitDir = join(options.workspaceDir, ".git");
  }

  /** Puts the working copy at `base`, detached, with no file but those of `base` and the ignored ones. Throws git-failed. */
  async prepare(base: CommitHash): Promise<void> {
    const { workspaceDir } = this.#options;
    await this.#requireWorkspace();
    if (this.#options.isFresh) await emptyFolder(workspaceDir);
    const repairs = [undefined, makeFoldersWritable, emptyFolder];
    for (const [tries, repair] of repairs.entries()) {
      try {
        await repair?.(workspaceDir);
        await this.#remakeRepository(base);
        await this.#requireCommit(base);
        await this.#checkOut(base);
        return;
      } catch (error) {
        if (error instanceof CommitMissing || tries === repairs.length - 1) throw error;
      }
    }
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

  /** True when the commit is in the workspace or in the exchange, and not only in this copy. */
  async isShared(commit: CommitHash): Promise<boolean> {
    const { objectsDir, exchangeDir } = this.#options;
    const elsewhere = { GIT_OBJECT_DIRECTORY: objectsDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(exchangeDir, "objects") };
    const git = { path: this.#git.path, env: { ...this.#git.env, ...elsewhere } };
    return (await tryGit(git, this.#inRepository({ args: ["cat-file", "-e", `${commit}^{commit}`] }))).exitCode === 0;
  }

  /**
   * Puts `commit` and all that it needs beyond `base` into the exchange, then names it there (`settRef`). A repeat changes
   * nothing. Throws git-failed when the ref names another commit, or when something that the commit needs is missing.
   */
  async publish(commit: CommitHash, ref: string, base: CommitHash | undefined): Promise<void> {
    await publishCommit({ git: this.#git, gitDir: this.#gitDir, exchangeDir: this.#options.exchangeDir, commit, ref, base });
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

  /** A new `.git` with the index of the old one, which shows the files that need not be written again. */
  async #remakeRepository(base: CommitHash): Promise<void> {
    const index = await lstat(join(this.#gitDir, "index")).catch(() => undefined);
    const folder = await lstat(this.#gitDir).catch(() => undefined);
    if (folder?.isDirectory() && index?.isFile()) await emptyFolder(this.#gitDir, ["index"]);
    else await removeTree(this.#gitDir);
    // The length of a hash shows the format of the objects.
    const format = base.length === 64 ? "sha256" : "sha1";
    await this.#run({ args: ["init", "--quiet", "--template=", `--object-format=${format}`, "--initial-branch=main"] });
    await mkdir(join(this.#gitDir, "info"), { recursive: true });
    await writeFile(join(this.#gitDir, "objects/info/alternates"), await this.#alternates());
    const depth = await readDepth(this.#options.objectsDir);
    if (depth !== undefined) await writeFile(join(this.#gitDir, "shallow"), depth);
    await writeFile(join(this.#gitDir, "config"), ownConfig(this.#options.agentName), { flag: "a" });
    await this.#checkIndex();
  }

  async #alternates(): Promise<string> {
    const { objectsDir, exchangeDir } = this.#options;
    const exchangeObjects = join(exchangeDir, "objects");
    const hasExchange = (await lstat(exchangeObjects).catch(() => undefined)) !== undefined;
    return [objectsDir, ...(hasExchange ? [exchangeObjects] : [])].map((path) => `${path}\n`).join("");
  }

  /** Removes an index that is broken or makes git ignore files, and empties the folders of submodules, which have no repository now. */
  async #checkIndex(): Promise<void> {
    const listing = await tryGit(this.#git, this.#inRepository({ args: ["ls-files", "-v", "--stage", "-z"] }));
    const entries = listing.stdout.split("\0").slice(0, -1);
    const isTrusted = listing.exitCode === 0 && entries.every((entry) => entry.startsWith("H ") || entry.startsWith("M "));
    if (!isTrusted) await removeTree(join(this.#gitDir, "index"));
    const gitLink = /^. 160000 [^\t]*\t/;
    for (const entry of entries.filter((each) => gitLink.test(each))) {
      await removeTree(join(this.#options.workspaceDir, entry.replace(gitLink, "")));
    }
  }

  async #requireCommit(base: CommitHash): Promise<void> {
    const found = await tryGit(this.#git, this.#inRepository({ args: ["cat-file", "-e", `${base}^{commit}`] }));
    if (found.exitCode !== 0) throw new CommitMissing(base);
  }

  async #checkOut(base: CommitHash): Promise<void> {
    await this.#run({ args: ["checkout", "--quiet", "--force", "--detach", base, "--"] });
    // Forced twice, so that a repository that the tool made inside is removed as well, unless it is ignored.
    await this.#run({ args: ["clean", "-d", "--force", "--force", "--quiet"] });
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.#git, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { workspaceDir } = this.#options;
    return { ...run, args: [`--git-dir=${this.#gitDir}`, `--work-tree=${workspaceDir}`, ...run.args], cwd: workspaceDir };
  }
}

class CommitMissing extends SettError {
  constructor(base: CommitHash) {
    super("git-failed", `Commit ${base} is neither in the workspace nor in the exchange.`, {
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
