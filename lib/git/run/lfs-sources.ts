// The folders with the contents of LFS that a commit of a person names, and its submodules.
import { lstat, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { findSubmodules } from "./find-submodules.ts";
import { type PointerFile, pointersInIndex } from "./lfs-pointers.ts";
import { type Git, type GitRun, runGit, tryGit } from "./run-git.ts";

type Base = { readonly git: Git; readonly place: RepositoryPlace };

/** A commit, where its objects are, and where git-lfs keeps contents. `prefix`: in latin1. */
export type LfsSource = { commit: CommitHash; objectsDir: string; lfsDir: string; prefix: string };

/** The commit and those of its submodules, as far as they have files of LFS. */
export async function lfsSourcesOf({ git, place }: Base, commit: CommitHash): Promise<LfsSource[]> {
  const { gitDir, commonDir, objectsDir } = place;
  const top = { commit, objectsDir, lfsDir: await lfsFolder(git, gitDir, commonDir), prefix: "" };
  const found: LfsSource[] = [top];
  for (const each of await findSubmodules(git, place, commit))
    if (each.gitDir !== undefined)
      found.push({
        ...{ commit: each.commit, objectsDir: each.objectsDir, prefix: `${each.path}/` },
        lfsDir: await lfsFolder(git, undefined, each.gitDir),
      });
  const sources: LfsSource[] = [];
  for (const source of found)
    if ((await isFolder(source.lfsDir)) || (await namesLfsAtTop({ git, place }, source)))
      sources.push(source);
  return sources;
}

/** Returns where git-lfs keeps contents: `lfs.storage`, or beside the objects. */
export async function lfsFolder(
  git: Base["git"],
  gitDir: string | undefined,
  commonDir: string,
): Promise<string> {
  const where = gitDir === undefined ? [`--file=${join(commonDir, "config")}`] : ["--type=path"];
  const args = ["config", ...where, "--get", "lfs.storage"];
  const inPlace = gitDir === undefined ? args : [`--git-dir=${gitDir}`, ...args];
  const folder = (await tryGit(git, { args: inPlace })).stdout.replace(/\n$/, "") || "lfs";
  return join(isAbsolute(folder) ? folder : join(commonDir, folder), "objects");
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
