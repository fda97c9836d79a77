// The folder in which the model works, and its repository, if it has one.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Git, runGit, tryGit } from "../../../lib/git/run-git.ts";
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
};

export async function openWorkspace(folder: string, git: Git): Promise<Workspace> {
  const root = await realpath(folder);
  const found = await tryGit(git, { args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd: root });
  const head = CommitHash.safeParse(found.stdout.trim());
  const isRepository = head.success || (await tryGit(git, { args: ["rev-parse", "--git-dir"], cwd: root })).exitCode === 0;
  return { root, git, head: head.success ? head.data : undefined, isRepository, hasProgress: false };
}

/** Runs git in the workspace and returns its stdout. Throws git-failed. */
export function gitIn({ git, root }: Pick<Workspace, "git" | "root">, args: readonly string[], stdin?: string): Promise<string> {
  return runGit(git, { args, cwd: root, ...(stdin !== undefined && { stdin }) });
}

/** `shown`: relative to the workspace. */
export type Place = { ok: true; path: string; shown: string } | { ok: false; reason: string };

/**
 * Where `path` leads, symbolic links followed. Refused outside of the workspace, and for writing inside a `.git`. It protects from
 * mistakes: a command that the model runs may do all that the container allows.
 */
export async function placeOf({ root }: Pick<Workspace, "root">, path: string, use: "read" | "write"): Promise<Place> {
  const refuse = (reason: string): Place => ({ ok: false, reason: `${JSON.stringify(path)} ${reason}` });
  if (path.includes("\0")) return refuse("is not a path.");
  const real = await realPathOf(resolve(root, path));
  if (real === undefined) return refuse("is a symbolic link that leads nowhere.");
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    return refuse(`is outside of the workspace ${root}. Use paths inside of it.`);
  }
  const shown = relative(root, real) || ".";
  if (use === "write" && shown.split(sep).some((name) => name.toLowerCase() === ".git")) {
    return refuse("is inside `.git`, where no tool writes. Use `run` with git for that.");
  }
  return { ok: true, path: real, shown };
}

/** Of a path that need not exist; undefined for a symbolic link that leads nowhere. */
async function realPathOf(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    const real = await realpath(existing).catch(() => undefined);
    if (real !== undefined) return join(real, ...missing);
    if (
      await lstat(existing).then(
        (found) => found.isSymbolicLink(),
        () => false,
      )
    )
      return undefined;
    missing.unshift(basename(existing));
    if (dirname(existing) === existing) return undefined;
  }
}
