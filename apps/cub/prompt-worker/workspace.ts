// The folder in which the model works, and its repository, if it has one.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Path } from "../../../lib/folders/folder-entries.ts";
import type { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { readName, showName, textOf } from "../../../lib/git/run/file-name.ts";
import { type Git, runGit, tryGit } from "../../../lib/git/run/run-git.ts";
import { CommitHash } from "../../../lib/model/ids.ts";

export type Workspace = {
  /** Absolute, without symbolic links. */
  root: string;
  git: Git;
  /** HEAD when the work began; undefined without a repository, or in one without a commit. */
  head: CommitHash | undefined;
  isRepository: boolean;
  /** The agent's own commits of an earlier run, before it asked a question, are below HEAD. */
  hasProgress: boolean;
  /** The plan of an earlier run, before it asked a question. */
  plan?: string | undefined;
  /** The part of the repository that may change; undefined: all of it. */
  sparse: SparsePaths | undefined;
};

export async function openWorkspace(
  folder: string,
  git: Git,
  sparse?: SparsePaths,
): Promise<Workspace> {
  const root = await realpath(folder);
  const found = await tryGit(git, {
    args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    cwd: root,
  });
  const head = CommitHash.safeParse(found.stdout.trim());
  const isRepository =
    head.success ||
    (await tryGit(git, { args: ["rev-parse", "--git-dir"], cwd: root })).exitCode === 0;
  return {
    root,
    git,
    head: head.success ? head.data : undefined,
    isRepository,
    hasProgress: false,
    sparse,
  };
}

/** Runs git in the workspace and returns its stdout. Throws git-failed. */
export function gitIn(
  { git, root }: Pick<Workspace, "git" | "root">,
  args: readonly string[],
  stdin?: string,
): Promise<string> {
  return runGit(git, { args, cwd: root, ...(stdin !== undefined && { stdin }) });
}

/** `shown`: relative to the workspace, as `showName` gives it. `folder`: what the path is in. */
export type Place =
  | { ok: true; path: Path; folder: Path; shown: string }
  | { ok: false; reason: string };

/**
 * Finds where `path` leads, as `readName` takes it, symbolic links followed. It is refused outside
 * of the workspace, and for writing inside a `.git`. It protects from mistakes: a command that the
 * model runs may do all that the container allows.
 */
export async function placeOf(
  { root }: Pick<Workspace, "root">,
  path: string,
  use: "read" | "write",
): Promise<Place> {
  const refuse = (reason: string): Place => ({
    ok: false,
    reason: `${JSON.stringify(path)} ${reason}`,
  });
  const [name, top] = [readName(path), Buffer.from(root).toString("latin1")];
  if (name.includes("\0")) return refuse("is not a path.");
  const real = await realPathOf(resolve(top, name));
  if (real === undefined) return refuse("is a symbolic link that leads nowhere.");
  if (real !== top && !real.startsWith(top.endsWith(sep) ? top : top + sep)) {
    return refuse(`is outside of the workspace ${root}. Use paths inside of it.`);
  }
  const inside = relative(top, real) || ".";
  if (use === "write" && inside.split(sep).some((part) => part.toLowerCase() === ".git")) {
    return refuse("is inside `.git`, where no tool writes. Use `run` with git for that.");
  }
  return { ok: true, path: pathOf(real), folder: pathOf(dirname(real)), shown: showName(inside) };
}

/** Whether `path` itself, as `placeOf` takes it, is a symbolic link. */
export async function isLink({ root }: Pick<Workspace, "root">, path: string): Promise<boolean> {
  const name = resolve(Buffer.from(root).toString("latin1"), readName(path));
  const found = await lstat(pathOf(name)).catch(() => undefined);
  return found?.isSymbolicLink() === true;
}

function pathOf(bytes: string): Path {
  return textOf(bytes) ?? Buffer.from(bytes, "latin1");
}

/**
 * Resolves a path in latin1 that need not exist; undefined for a symbolic link that leads nowhere.
 */
async function realPathOf(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    const real = await realpath(Buffer.from(existing, "latin1"), "buffer").catch(() => undefined);
    if (real !== undefined) return join(real.toString("latin1"), ...missing);
    if (
      await lstat(pathOf(existing)).then(
        (found) => found.isSymbolicLink(),
        () => false,
      )
    )
      return undefined;
    missing.unshift(basename(existing));
    if (dirname(existing) === existing) return undefined;
  }
}
