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
import type { Gitlink } from "../run/find-submodules.ts";
import { readPointer, smallBlobs } from "../run/lfs-pointers.ts";
import { newGitlinks } from "../run/new-gitlinks.ts";
import { type Git, type GitRun, gitFailure, runGit, tryGit } from "../run/run-git.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import type { PathPointer } from "./layer.ts";
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

  /**
   * The commits from `base` to `commit` themselves, byte for byte: their messages, authors and
   * whatever else they say. In pieces of any size.
   */
  async readCommits(commit: CommitHash, base: CommitHash, onChunk: OnChunk): Promise<void> {
    const stdin = await this.#run({ args: ["rev-list", `${base}..${commit}`, "--"] });
    await this.#run({ args: ["cat-file", "--batch"], stdin, onStdout: onChunk });
  }

  /**
   * A patch of what the commits from `base` to `commit` have added: the names of files, and lines
   * with all bytes, also those that a later one removes again. A line `commit HASH` is before each.
   * In pieces of any size.
   */
  async readAdded(commit: CommitHash, base: CommitHash, onChunk: OnChunk): Promise<void> {
    const whole = [
      "--format=commit %H",
      "--root",
      "--cc",
      "--text",
      "--unified=0",
      "--no-renames",
      "--no-color",
    ];
    await this.#run({ args: ["log", ...whole, `${base}..${commit}`, "--"], onStdout: onChunk });
  }

  /**
   * The folders, in latin1, that are a repository of their own at `commit`, and were none at
   * `base`; see `newGitlinks`.
   */
  async newGitlinks(commit: CommitHash, base: CommitHash): Promise<string[]> {
    const run = (each: GitRun) => this.#run(each);
    const changes = await this.#changes(commit, base);
    const modules = `${commit}:.gitmodules`;
    return await newGitlinks({ run, changes, modules, root: this.#workspaceDir });
  }

  /** The submodules that are at another commit than at `base`, with that commit. */
  async movedGitlinks(commit: CommitHash, base: CommitHash): Promise<Gitlink[]> {
    const words = (await this.#changes(commit, base)).split("\0");
    return words.flatMap((word, at) => {
      const [, hash] = /^:\d+ 160000 [0-9a-f]+ ([0-9a-f]+) /.exec(word) ?? [];
      return hash === undefined || at % 2 === 1
        ? []
        : [{ path: words[at + 1] ?? "", commit: CommitHash.parse(hash) }];
    });
  }

  /**
   * The pointers of LFS among the files that are others than at `base`. Those that are in
   * `objectsDir` came from there, and are left out.
   */
  async changedPointers(
    commit: CommitHash,
    base: CommitHash,
    objectsDir: string,
  ): Promise<(PathPointer & { blob: string })[]> {
    const grep = ["grep", "-q", "-F", "-e", "filter=lfs", commit, "--", ":(glob)**/.gitattributes"];
    if ((await tryGit(this.git, this.#inView({ args: grep }))).exitCode !== 0) return [];
    const words = (await this.#changes(commit, base)).split("\0");
    const files = words.flatMap((word, at) => {
      const [, blob] = at % 2 === 0 ? (/^:\d+ 100\d+ [0-9a-f]+ ([0-9a-f]+) /.exec(word) ?? []) : [];
      return blob === undefined ? [] : [{ path: words[at + 1] ?? "", blob }];
    });
    const run = (each: GitRun) => this.#run(each);
    const texts = await smallBlobs(
      run,
      files.map(({ blob }) => blob),
    );
    const pointers = files.flatMap((file) => {
      const pointer = readPointer(texts.get(file.blob) ?? "");
      return pointer === undefined ? [] : [{ ...file, ...pointer }];
    });
    const known = await smallBlobs(
      (each) => run({ ...each, env: { GIT_OBJECT_DIRECTORY: objectsDir } }),
      pointers.map(({ blob }) => blob),
    );
    return pointers.filter(({ blob }) => !known.has(blob));
  }

  async #changes(commit: CommitHash, base: CommitHash): Promise<string> {
    const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", base, commit, "--"];
    return await this.#run({ args, encoding: "latin1" });
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.git, this.#inView(run));
  }

  #inView(run: GitRun): GitRun {
    return { ...run, args: [`--git-dir=${this.gitDir}`, ...run.args], cwd: this.gitDir };
  }
}

type OnChunk = (chunk: Uint8Array) => void;

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
