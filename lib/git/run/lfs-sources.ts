// The submodules that a commit of a person names, and the folders with its contents of LFS.
import { lstat, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { findSubmodules, type Submodule } from "./find-submodules.ts";
import { type PointerFile, pointersInIndex } from "./lfs-pointers.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";

type Base = { readonly git: Git; readonly place: RepositoryPlace };

/** A commit, where its objects are, and where git-lfs keeps contents. `prefix`: in latin1. */
export type LfsSource = { commit: CommitHash; objectsDir: string; lfsDir: string; prefix: string };

/** A commit names these, and they are not among its own objects. */
export type Attachments = {
  readonly submodules: readonly Submodule[];
  /** The commit and those of its submodules, as far as they have files of LFS. */
  readonly lfs: readonly LfsSource[];
};

/** Throws git-failed where the commit cannot be read. */
export async function attachmentsOf(base: Base, commit: CommitHash): Promise<Attachments> {
  const { git, place } = base;
  const top = { commit, objectsDir: place.objectsDir, lfsDir: lfsFolderOf(place), prefix: "" };
  const [submodules, isAtTop] = await Promise.all([
    findSubmodules(git, place, commit),
    mayHaveLfs(base, top),
  ]);
  const lfs = isAtTop ? [top] : [];
  for (const each of submodules) {
    if (each.gitDir === undefined) continue;
    const lfsDir = await lfsFolderOfSubmodule(git, each.gitDir);
    const { commit: inside, objectsDir } = each;
    const source = { commit: inside, objectsDir, lfsDir, prefix: `${each.path}/` };
    if (await mayHaveLfs(base, source)) lfs.push(source);
  }
  return { submodules, lfs };
}

/** Returns where git-lfs of the person keeps contents. */
export function lfsFolderOf({
  commonDir,
  lfsFolder,
}: Pick<RepositoryPlace, "commonDir" | "lfsFolder">): string {
  return join(isAbsolute(lfsFolder) ? lfsFolder : join(commonDir, lfsFolder), "objects");
}

async function lfsFolderOfSubmodule(git: Git, gitDir: string): Promise<string> {
  const args = ["config", `--file=${join(gitDir, "config")}`, "--get", "lfs.storage"];
  const lfsFolder = (await tryGit(git, { args })).stdout.replace(/\n$/, "") || "lfs";
  return lfsFolderOf({ commonDir: gitDir, lfsFolder });
}

async function mayHaveLfs(base: Base, source: LfsSource): Promise<boolean> {
  return (await isFolder(source.lfsDir)) || (await namesLfsAtTop(base, source));
}

/** Git's attributes are most often at the top. */
async function namesLfsAtTop(
  { git, place }: Base,
  { commit, objectsDir }: LfsSource,
): Promise<boolean> {
  const args = [`--git-dir=${place.gitDir}`, "cat-file", "blob", `${commit}:.gitattributes`];
  const found = await tryGit(git, { args, env: { GIT_OBJECT_DIRECTORY: objectsDir } });
  return found.stdout.includes("filter=lfs");
}

/** An index in a folder without files: git takes the attributes from the index there. */
export async function pointersOf(
  { git, place }: Base,
  { commit, objectsDir }: LfsSource,
): Promise<PointerFile[]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-lfs-"));
  try {
    const files = join(folder, "files");
    await mkdir(files);
    const env = { GIT_OBJECT_DIRECTORY: objectsDir, GIT_INDEX_FILE: join(folder, "index") };
    // Another form would have files in the person's repository.
    const own = ["-c", "core.splitIndex=false", "-c", "index.sparse=false"];
    const at = [...own, `--git-dir=${place.gitDir}`, `--work-tree=${files}`];
    const run = (each: GitRun) =>
      runGit(git, { ...each, args: [...at, ...each.args], cwd: files, env });
    await run({ args: ["read-tree", commit] });
    return await pointersInIndex(run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

export async function isWhole(path: string, size: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
}
