// The contents of LFS files that agents see: those that the commits of goals name, and the commits
// of their submodules, as far as the person's repository has them.
//
//   .git/sett/objects/INSTANCE/lfs/AB/CD/ABCD…   a content, by its SHA-256
import { constants } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import { showName } from "../run/file-name.ts";
import { bytesOfContents, findContents, writeContent } from "../run/lfs-contents.ts";
import { addedPointers, namesLfs, objectPath } from "../run/lfs-pointers.ts";
import { isFolder, isWhole, type LfsSource, lfsFolderOf, pointersOf } from "../run/lfs-sources.ts";
import { type GitRun, LimitExceeded, runGit, tryGit } from "../run/run-git.ts";
import type { Lacking } from "./port.ts";
import { someOf } from "./some-of.ts";
import type { Store } from "./store.ts";

/** Four times what a pack may have: most files of LFS are packed already. */
const maxContentBytes = 8 * 1024 ** 3;

/** The name of a content that a program was writing when it was ended begins so. */
export const unfinishedPrefix = "tmp_";

/** The folder beside the packs of a store. */
export function lfsStorePath(objectsDir: string): string {
  return join(objectsDir, "lfs");
}

/** Shows what is here of the contents that their commits name. Throws git-failed. */
export async function showLfsObjects(store: Store, sources: readonly LfsSource[]): Promise<void> {
  for (const source of sources)
    for (const { oid, size } of await pointersOf(store, source)) {
      const [from, to] = [
        objectPath(source.lfsDir, oid),
        objectPath(lfsStorePath(store.path), oid),
      ];
      if ((await isWhole(from, size)) && !(await isWhole(to, size))) await show(store, from, to);
    }
}

/** The files of these that agents have as pointers; undefined where there are none. */
export async function lackingLfsObjects(
  base: Pick<Store, "git" | "place">,
  sources: readonly LfsSource[],
): Promise<Lacking | undefined> {
  const missing: string[] = [];
  for (const source of sources)
    for (const { path, oid, size } of await pointersOf(base, source))
      if (!(await isWhole(objectPath(source.lfsDir, oid), size)))
        missing.push(showName(source.prefix + path));
  if (missing.length === 0) return undefined;
  const files = missing.length === 1 ? "A file of LFS is a pointer" : "Files of LFS are pointers";
  return {
    check: "lfs",
    found: `${files} for agents, because this repository does not have the content: ${someOf(missing)}.`,
    remedy: `\`git lfs ${base.place.isBare ? "fetch" : "pull"}\` brings the contents; then post the goal again.`,
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
  const { gitDir, owner } = place;
  const inStore = (each: GitRun): GitRun => ({
    ...{ ...each, args: [`--git-dir=${gitDir}`, ...each.args], cwd: gitDir },
    env: { GIT_OBJECT_DIRECTORY: objectsDir },
  });
  const look = (each: GitRun) => tryGit(git, inStore(each));
  const run = (each: GitRun) => runGit(git, inStore(each));
  const named = await Promise.all(commits.map((commit) => namesLfs(look, commit)));
  if (!named.includes(true)) return;
  const folder = lfsFolderOf(place);
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
  const unfinished = join(lfsStorePath(path), unfinishedPrefix + crypto.randomUUID());
  const everyoneMayRead = 0o004;
  try {
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
  } finally {
    // Renaming one name of a file to another name of the same file leaves both.
    await rm(unfinished, { force: true });
  }
}
