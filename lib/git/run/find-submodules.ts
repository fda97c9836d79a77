// Finds what a person's repository has of the submodules that a commit names, and of theirs.
//
// What names them is a part of the commit, which anyone may have written: the address in it is
// never used, and a name leads to nothing but a folder below the repository's own `modules`.
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { CommitHash } from "../../model/ids.ts";
import { bytesOf } from "./bytes-of.ts";
import { textOf } from "./file-name.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";

/** `gitDir`: the folder of a repository; `objectsDir`: the one in it that has the objects. */
type Clone = { gitDir: string; objectsDir: string };

/** `partial`: a clone that lacks some of the commit, and could fetch it. */
type Absence = { gitDir?: undefined; problem: string; partial?: Clone };

/**
 * `path`: from the top of the repository, in latin1. With the person's clone that has all of the
 * commit; else `problem` says why there is none.
 */
export type Submodule = { path: string; commit: CommitHash } & (Clone | Absence);

/** A link to a commit of another repository. `path`: in latin1. */
export type Gitlink = { path: string; commit: CommitHash };

/** A repository and the commit of it that is looked at; `prefix`: where it is, in latin1. */
interface Level {
  readonly git: Git;
  /** Any repository of the same format. */
  readonly anyGitDir: string;
  readonly objectsDir: string;
  readonly commit: CommitHash;
  /** The folders in which git keeps the repositories of its submodules. */
  readonly modules: readonly string[];
  /** Its files, where they are on this machine. */
  readonly files: string;
  readonly prefix: string;
  readonly depth: number;
}

/** A commit that has more means to cost time. */
const maxDepth = 10;
const maxSubmodules = 1_000;

/** Sorted by depth first. Throws git-failed where the commit cannot be read. */
export async function findSubmodules(
  git: Git,
  place: Pick<RepositoryPlace, "gitDir" | "commonDir" | "objectsDir" | "toplevel">,
  commit: CommitHash,
): Promise<Submodule[]> {
  const { gitDir, commonDir, objectsDir, toplevel: files } = place;
  // A linked worktree keeps its own.
  const modules = [...new Set([gitDir, commonDir])].map((folder) => join(folder, "modules"));
  const found: Submodule[] = [];
  const top = { git, anyGitDir: gitDir, objectsDir, commit, modules, files };
  await look({ ...top, prefix: "", depth: 0 }, found);
  return found;
}

/** The links of a commit to other repositories, in its folders as well. */
export async function gitlinksOf(
  run: (run: GitRun) => Promise<unknown>,
  commit: CommitHash,
): Promise<Gitlink[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  const links: Gitlink[] = [];
  for (const entry of (await bytesOf(run, args)).toString("latin1").split("\0")) {
    const [, hash, path] = /^160000 commit ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (path !== undefined) links.push({ path, commit: CommitHash.parse(hash) });
  }
  return links;
}

async function look(level: Level, found: Submodule[]): Promise<void> {
  const { git, anyGitDir, objectsDir, commit, prefix, depth } = level;
  const env = { GIT_OBJECT_DIRECTORY: objectsDir };
  const run = (each: GitRun) =>
    runGit(git, { ...each, args: [`--git-dir=${anyGitDir}`, ...each.args], env });
  // Most repositories have none, which is seen without a look at their files.
  const listed = await run({ args: ["ls-tree", "-z", commit, "--", ".gitmodules"] });
  if (!/^100\d+ blob /.test(listed)) return;
  const names = await namesOf(run, commit);
  for (const link of await gitlinksOf(run, commit)) {
    if (found.length >= maxSubmodules) return;
    const path = prefix + link.path;
    const there = await repositoryOf(level, link, names.get(link.path));
    found.push({ path, commit: link.commit, ...there });
    if (there.gitDir === undefined || depth + 1 >= maxDepth) continue;
    const below = {
      ...{ git, anyGitDir, ...there, commit: link.commit, depth: depth + 1 },
      ...{ modules: [join(there.gitDir, "modules")], prefix: `${path}/` },
      files: join(level.files, textOf(link.path) ?? ""),
    };
    await look(below, found);
  }
}

/** The names of submodules, by their folders. One that cannot be read has none. */
async function namesOf(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
): Promise<Map<string, string>> {
  const keys = "^submodule\\..*\\.path$";
  const args = ["config", `--blob=${commit}:.gitmodules`, "--null", "--get-regexp", keys];
  const listed = await run({ args, encoding: "latin1" }).catch(() => "");
  const names = new Map<string, string>();
  for (const entry of listed.split("\0")) {
    const [, name, path = ""] = /^submodule\.(.*)\.path\n(.*)$/s.exec(entry) ?? [];
    if (name !== undefined) names.set(path.replace(/\/+$/, ""), name);
  }
  return names;
}

async function repositoryOf(
  level: Level,
  link: Gitlink,
  name: string | undefined,
): Promise<Clone | Absence> {
  const [named, folder] = [name && textOf(name), textOf(link.path)];
  const places = [
    ...(named === undefined ? [] : level.modules.map((base) => ({ base, below: named }))),
    // Before `git submodule absorbgitdirs`, and where a repository was added in its place.
    ...(folder === undefined ? [] : [{ base: level.files, below: `${folder}/.git` }]),
  ];
  let isThere = false;
  for (const { base, below } of places) {
    const gitDir = await folderBelow(base, below);
    const objectsDir = gitDir && (await folderBelow(gitDir, "objects"));
    if (gitDir === undefined || objectsDir === undefined) continue;
    isThere = true;
    const clone = { gitDir, objectsDir };
    if (!(await hasCommit(level, objectsDir, link.commit))) continue;
    if (!(await isPartial(level, gitDir)) || (await isWhole(level, gitDir, link.commit)))
      return clone;
    return {
      problem: "its clone here is a partial one, without all of the commit",
      partial: clone,
    };
  }
  if (isThere) return { problem: "its clone here does not have the commit" };
  return name === undefined
    ? { problem: "`.gitmodules` does not name it" }
    : { problem: "this repository has no clone of it" };
}

/** Undefined where a link, or a name such as `../x`, leads elsewhere. */
async function folderBelow(base: string, name: string): Promise<string | undefined> {
  const isPlain = name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || name.includes("\0")) return undefined;
  const top = await realpath(base).catch(() => undefined);
  if (top === undefined) return undefined;
  const path = join(top, name);
  const found = await realpath(path).catch(() => undefined);
  if (found !== path) return undefined;
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true ? path : undefined;
}

async function hasCommit(
  { git, anyGitDir }: Level,
  objectsDir: string,
  commit: CommitHash,
): Promise<boolean> {
  const args = [`--git-dir=${anyGitDir}`, "cat-file", "-e", `${commit}^{commit}`];
  const env = { GIT_OBJECT_DIRECTORY: objectsDir };
  return (await tryGit(git, { args, env })).exitCode === 0;
}

/** Whether all is there that the commit reaches. */
async function isWhole({ git }: Level, gitDir: string, commit: CommitHash): Promise<boolean> {
  const args = [`--git-dir=${gitDir}`, "rev-list", "--objects", "--quiet", commit, "--"];
  return (await tryGit(git, { args })).exitCode === 0;
}

async function isPartial({ git }: Level, gitDir: string): Promise<boolean> {
  const promises = "^(extensions\\.partialclone|remote\\..*\\.promisor)$";
  const args = ["config", `--file=${join(gitDir, "config")}`, "--get-regexp", promises];
  return (await tryGit(git, { args })).exitCode === 0;
}
