// The repository that a command has worked in, seen through one of our own: git then reads its
// objects, and nothing else of it.
//
// Its configuration names programs that git would start, and its other files could hide commits or
// never end being read. So git gets a folder with our own configuration, and the objects by a
// variable.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { makeBareFolder } from "../run/bare-folder.ts";
import { type Git, type GitRun, gitFailure, runGit, tryGit } from "../run/run-git.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import { readHead } from "./read-head.ts";

/** The files that git reads first in a repository. None of them need be there. */
const ownFiles = [
  "HEAD",
  "config",
  "config.worktree",
  "index",
  "packed-refs",
  "shallow",
  "commondir",
];

/**
 * The limits of each run of git after a command has ended, which decides what there is to read:
 * narrower than those of the host, which reads it as well.
 */
const costs = { processorMs: 5 * 60_000, timeMs: 30 * 60_000 };

/** These files of the command's could show other commits than those that are published. */
const settings = ["core.commitGraph=false", "core.multiPackIndex=false", "pack.useBitmaps=false"];

interface Origin {
  readonly git: Git;
  /** The folder whose `.git` is seen. */
  readonly workspaceDir: string;
  readonly objectFormat: "sha1" | "sha256";
  /** The ends of history, in the format of git's file `shallow`. */
  readonly depth: string | undefined;
}

export class CleanView {
  /** Reads the objects of the repository. */
  readonly git: Git;
  readonly gitDir: string;
  readonly #workspaceDir: string;

  private constructor(git: Git, gitDir: string, workspaceDir: string) {
    this.git = git;
    this.gitDir = gitDir;
    this.#workspaceDir = workspaceDir;
  }

  /**
   * Made inside of the repository, with which it goes. Throws git-failed for a repository that has
   * other things in place of files.
   */
  static async make({ git, workspaceDir, objectFormat, depth }: Origin): Promise<CleanView> {
    const repository = join(workspaceDir, ".git");
    requireFiles(workspaceDir);
    await requireObjects(join(repository, "objects"));
    const gitDir = join(repository, "sett-view");
    await removeTree(gitDir);
    await makeBareFolder(gitDir, objectFormat, depth);
    const env = { ...git.env, GIT_OBJECT_DIRECTORY: join(repository, "objects") };
    const limits = { ...git.limits, ...costs };
    return new CleanView(
      { ...git, env, limits, settings: [...(git.settings ?? []), ...settings] },
      gitDir,
      workspaceDir,
    );
  }

  /** The commit of HEAD, detached or on a branch. Throws git-failed when there is none. */
  async head(): Promise<CommitHash> {
    const named = inRepository(this.#workspaceDir, readHead);
    if (named === undefined)
      throw new SettError("git-failed", `HEAD of ${this.#workspaceDir} names no commit.`);
    return CommitHash.parse(
      (await this.#run({ args: ["rev-parse", "--verify", `${named}^{commit}`] })).trim(),
    );
  }

  /**
   * The commit that `text` names by its full hash, or by 7 or more of its first digits when no
   * other commit begins so. Anything else is undefined, also the name of a branch that looks like a
   * hash. Throws git-failed.
   */
  async resolveCommit(text: string): Promise<CommitHash | undefined> {
    const digits = text.trim().toLowerCase();
    if (!/^[0-9a-f]{7,64}$/.test(digits)) return undefined;
    const listing = this.#inView({ args: ["rev-parse", `--disambiguate=${digits}`] });
    const candidates = await tryGit(this.git, listing);
    if (candidates.limit !== undefined) throw gitFailure(listing, candidates);
    if (candidates.exitCode !== 0 || candidates.stdout === "") return undefined;
    const checking = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
    const types = await this.#run({ args: checking, stdin: candidates.stdout });
    const commits = types.split("\n").filter((line) => line.startsWith("commit "));
    const [only, ...others] = commits;
    return only === undefined || others.length > 0
      ? undefined
      : CommitHash.parse(only.slice("commit ".length));
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.git, this.#inView(run));
  }

  #inView(run: GitRun): GitRun {
    return { ...run, args: [`--git-dir=${this.gitDir}`, ...run.args], cwd: this.gitDir };
  }
}

function requireFiles(workspaceDir: string): void {
  inRepository(workspaceDir, (repository) => {
    for (const name of ownFiles)
      repository.file(name, Number.POSITIVE_INFINITY)?.[Symbol.dispose]();
  });
}

function inRepository<Result>(
  workspaceDir: string,
  use: (repository: UntrustedFolder) => Result,
): Result {
  using workspace = UntrustedFolder.open(workspaceDir);
  using repository = workspace?.folder(".git");
  if (repository === undefined)
    throw new SettError("git-failed", `${join(workspaceDir, ".git")} is gone.`);
  return use(repository);
}

/** Opening a pipe would wait for a writer. */
async function requireObjects(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await requireObjects(join(path, entry.name));
    else if (!entry.isFile())
      throw new SettError(
        "git-failed",
        `${join(path, entry.name)} is not read: it is no regular file.`,
      );
  }
}
