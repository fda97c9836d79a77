// The contents of LFS files that agents see: those that the commits of goals name, and the commits
// of their submodules, as far as the person's repository has them.
//
//   .git/sett/objects/INSTANCE/lfs/AB/CD/ABCD…   a content, by its SHA-256
import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import { showName } from "../run/file-name.ts";
import { findSubmodules } from "../run/find-submodules.ts";
import { bytesOfContents, findContents, writeContent } from "../run/lfs-contents.ts";
import {
  addedPointers,
  namesLfs,
  objectPath,
  type PointerFile,
  pointersInIndex,
} from "../run/lfs-pointers.ts";
import { type GitRun, LimitExceeded, runGit, tryGit } from "../run/run-git.ts";
import type { Lacking } from "./port.ts";
import { someOf } from "./some-of.ts";
import type { Store } from "./store.ts";

type Base = Pick<Store, "git" | "place">;

/** A commit, where its objects are, and where git-lfs keeps contents. `prefix`: in latin1. */
type Source = { commit: CommitHash; objectsDir: string; lfsDir: string; prefix: string };

/** Four times what a pack may have: most files of LFS are packed already. */
const maxContentBytes = 8 * 1024 ** 3;

/** The folder beside the packs of a store. */
export function lfsStorePath(objectsDir: string): string {
  return join(objectsDir, "lfs");
}

/** Shows what is here of the contents that `commits` name. Throws git-failed. */
export async function showLfsObjects(store: Store, commits: readonly CommitHash[]): Promise<void> {
  for (const commit of new Set(commits))
    for (const source of await sourcesOf(store, commit))
      for (const { oid, size } of await pointersOf(store, source)) {
        const [from, to] = [
          objectPath(source.lfsDir, oid),
          objectPath(lfsStorePath(store.path), oid),
        ];
        if ((await isWhole(from, size)) && !(await isWhole(to, size))) await show(store, from, to);
      }
}

/** The files of a commit that agents have as pointers; undefined where there are none. */
export async function lackingLfsObjects(
  base: Base,
  commit: CommitHash,
): Promise<Lacking | undefined> {
  const missing: string[] = [];
  for (const source of await sourcesOf(base, commit))
    for (const { path, oid, size } of await pointersOf(base, source))
      if (!(await isWhole(objectPath(source.lfsDir, oid), size)))
        missing.push(showName(source.prefix + path));
  if (missing.length === 0) return undefined;
  const files = missing.length === 1 ? "A file of LFS is a pointer" : "Files of LFS are pointers";
  return {
    check: "lfs",
    found: `${files} for agents, because this repository does not have the content: ${someOf(missing)}.`,
    remedy: "`git lfs pull` brings the contents; then post the goal again.",
  };
}

/**
 * Puts contents that agents have brought with their commits where git-lfs of the person finds them,
 * and where other agents do. `objectsDir`: the store that has the commits. `revisions`: these,
 * without what was here before, as `rev-list` reads them. Throws git-failed, also where they take
 * more than `maxBytes`; then nothing is written.
 */
export async function keepLfsContents(
  store: Store,
  commits: readonly CommitHash[],
  {
    objectsDir,
    revisions,
    maxBytes = maxContentBytes,
  }: { objectsDir: string; revisions: string; maxBytes?: number },
): Promise<void> {
  const { git, place } = store;
  const { gitDir, commonDir, owner } = place;
  const inStore = (each: GitRun): GitRun => ({
    ...{ ...each, args: [`--git-dir=${gitDir}`, ...each.args], cwd: gitDir },
    env: { GIT_OBJECT_DIRECTORY: objectsDir },
  });
  const look = (each: GitRun) => tryGit(git, inStore(each));
  const run = (each: GitRun) => runGit(git, inStore(each));
  const named = await Promise.all(commits.map((commit) => namesLfs(look, commit)));
  if (!named.includes(true)) return;
  const folder = await lfsFolder(git, gitDir, commonDir);
  const pointers = await addedPointers(run, revisions);
  const contents = await findContents(run, objectsDir, pointers);
  const bytes = bytesOfContents(contents);
  if (bytes > maxBytes)
    throw new LimitExceeded(
      "git-failed",
      `The contents of Git LFS that it brings take ${bytes} bytes, and at most ${maxBytes} are taken at once.`,
    );
  for (const content of contents) {
    const path = objectPath(folder, content.oid);
    if (!(await isWhole(path, content.size))) {
      await writeContent(run, content, folder);
      const folders = [dirname(folder), folder, dirname(dirname(path)), dirname(path)];
      await changeOwner(owner, ...folders, path);
    }
    const shown = objectPath(lfsStorePath(store.path), content.oid);
    if ((await isFolder(store.path)) && !(await isWhole(shown, content.size)))
      await show(store, path, shown);
  }
}

/** Gives all of it to the containers' user, who then can add to it. */
export async function openLfsToApi({ place, path }: Store): Promise<void> {
  const own = lfsStorePath(path);
  const names = await readdir(own, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (names === undefined) return;
  const folders = names.filter((each) => each.isDirectory());
  const all = [own, ...folders.map((each) => join(each.parentPath, each.name))];
  await changeOwner(place.containerUser, ...all);
}

/** The commit and those of its submodules, as far as they have files of LFS. */
async function sourcesOf({ git, place }: Base, commit: CommitHash): Promise<Source[]> {
  const { gitDir, commonDir, objectsDir } = place;
  const top = { commit, objectsDir, lfsDir: await lfsFolder(git, gitDir, commonDir), prefix: "" };
  const found: Source[] = [top];
  for (const each of await findSubmodules(git, place, commit))
    if (each.gitDir !== undefined)
      found.push({
        ...{ commit: each.commit, objectsDir: each.objectsDir, prefix: `${each.path}/` },
        lfsDir: await lfsFolder(git, undefined, each.gitDir),
      });
  const sources: Source[] = [];
  for (const source of found)
    if ((await isFolder(source.lfsDir)) || (await namesLfsAtTop({ git, place }, source)))
      sources.push(source);
  return sources;
}

/** Returns where git-lfs keeps contents: `lfs.storage`, or beside the objects. */
async function lfsFolder(
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
  { commit, objectsDir }: Source,
): Promise<boolean> {
  const args = [`--git-dir=${place.gitDir}`, "cat-file", "blob", `${commit}:.gitattributes`];
  const found = await tryGit(git, { args, env: { GIT_OBJECT_DIRECTORY: objectsDir } });
  return found.stdout.includes("filter=lfs");
}

/** By an index in a folder without files, where git takes the attributes from the index. */
async function pointersOf(
  { git, place }: Base,
  { commit, objectsDir }: Source,
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

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function isWhole(path: string, size: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
}

/**
 * A hard link where agents may read the file as it is, and else a copy. What removes it in the
 * repository then takes nothing away from a running goal.
 */
async function show({ place, path }: Store, from: string, to: string): Promise<void> {
  const folders = [lfsStorePath(path), dirname(dirname(to)), dirname(to)];
  for (const folder of folders) {
    const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
    if (!isNew) continue;
    await chmod(folder, 0o755);
    // The API of an instance may be the owner of the store.
    await changeOwner(await stat(path), folder);
  }
  const unfinished = `${to}.${crypto.randomUUID()}`;
  const everyoneMayRead = 0o004;
  const isShared =
    ((await stat(from)).mode & everyoneMayRead) !== 0 &&
    (await link(from, unfinished).then(
      () => true,
      () => false,
    ));
  if (!isShared) {
    await copyFile(from, unfinished, constants.COPYFILE_FICLONE);
    await chmod(unfinished, 0o444);
    await changeOwner(place.owner, unfinished);
  }
  await rename(unfinished, to);
  // Renaming one name of a file to another name of the same file leaves both.
  await rm(unfinished, { force: true });
}
