// A folder in which packs are made before a store gets them: what an end of this program or a full
// disk leaves is in there, and goes with it.
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { borrowing } from "../run/borrowing.ts";
import { changeOwner } from "../run/change-owner.ts";
import { sayingDamage } from "../run/damaged.ts";
import { sayingFullDisk } from "../run/full-disk.ts";
import { runGit } from "../run/run-git.ts";
import { lfsStorePath, unfinishedPrefix } from "./lfs-store.ts";
import { packFolderOf, packNamesIn, packsIn, type Store } from "./store.ts";

/** The index is last: git sees a pack when it sees its index. */
export const endings = ["pack", "rev", "idx"] as const;
/** Longer than any git runs. */
const abandonedMs = 6 * 3_600_000;
const roomPrefix = "packing-";

/** A system that has no links there, or not for this file, says these. */
const withoutLinks = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EACCES"];

export class PackingRoom implements AsyncDisposable {
  readonly #store: Store;
  readonly #path: string;
  readonly #parents: readonly string[];
  /** A folder that git takes for the packs of a repository. */
  readonly folder: string;

  private constructor(store: Store, path: string, parents: readonly string[]) {
    this.#store = store;
    this.#path = path;
    this.#parents = parents;
    this.folder = join(path, "pack");
  }

  /** In the store, to which the API can write as well, and where agents can see it. */
  static async inStore(store: Store): Promise<PackingRoom> {
    return await PackingRoom.#make(store, join(store.path, roomPrefix + crypto.randomUUID()), []);
  }

  /**
   * A room that no agent sees. Only one program has it at a time: what an earlier one has left is
   * removed.
   */
  static async apart(store: Store): Promise<PackingRoom> {
    const path = apartOf(store);
    await removeTree(path);
    return await PackingRoom.#make(store, path, [dirname(path)]);
  }

  /** `parents`: folders that only rooms need. */
  static async #make(store: Store, path: string, parents: string[]): Promise<PackingRoom> {
    const room = new PackingRoom(store, path, parents);
    try {
      await room.filling(() => room.#furnish());
      return room;
    } catch (error) {
      await room[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
  }

  async #furnish(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    // Its owner must be able to remove what root leaves there.
    await changeOwner(this.#store.place.owner, ...this.#parents, this.#path, this.folder);
    // git leaves out what it finds in packs of this folder, and of no other one. Without links a
    // new pack may have some of it once more.
    for (const name of await packsIn(this.#store))
      for (const file of [`${name}.pack`, `${name}.idx`])
        await symlink(join(packFolderOf(this.#store), file), join(this.folder, file)).catch(
          unlessWithoutLinks,
        );
  }

  /** Does what needs room on the disk: whether that is full can be seen before this one goes. */
  async filling<Result>(job: () => Promise<Result>): Promise<Result> {
    return await sayingFullDisk(this.#store.path, job);
  }

  /**
   * Makes a pack of what `stdin` names: objects, or with `--revs` revisions. What the packs `kept`
   * have is left out; they are of this folder. Undefined where nothing is left.
   */
  async pack(
    options: readonly string[],
    stdin: string,
    kept: readonly string[] = [],
  ): Promise<string | undefined> {
    const { git, place, onProgress } = this.#store;
    const args = [
      `--git-dir=${place.gitDir}`,
      "pack-objects",
      ...options,
      ...kept.map((name) => `--keep-pack=${name}.pack`),
      "--non-empty",
      "--delta-base-offset",
      onProgress === undefined ? "--quiet" : "--progress",
      join(this.folder, "pack"),
    ];
    const env = { GIT_OBJECT_DIRECTORY: this.#path, ...borrowing(place.objectsDir) };
    const run = { args, env, stdin, onProgress };
    const hash = (await this.filling(() => sayingDamage(() => runGit(git, run)))).trim();
    return hash === "" ? undefined : `pack-${hash}`;
  }

  /**
   * Gives the store a pack of this folder. One that is the repository's as well keeps its mode and
   * its owner.
   */
  async place(name: string): Promise<void> {
    const files = (await readdir(this.folder)).filter((file) => file.startsWith(`${name}.`));
    const there = packFolderOf(this.#store);
    for (const ending of endings) {
      const file = `${name}.${ending}`;
      if (!files.includes(file)) continue;
      const own = join(this.folder, file);
      if ((await lstat(own)).nlink === 1) await chmod(own, 0o444);
      await changeOwner(this.#store.place.owner, own);
      await rename(own, join(there, file));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.#path);
    for (const folder of this.#parents) await rmdir(folder).catch(() => undefined);
  }
}

/**
 * Removes what earlier programs have left in a store, which packed and were ended. Nothing there is
 * fine.
 */
export async function removeAbandoned(store: Store): Promise<void> {
  await removeTree(apartOf(store));
  const pack = packFolderOf(store);
  const left = [
    ...(await namesIn(store.path, roomPrefix)),
    // git's own, from when it packed in the store itself.
    ...(await namesIn(pack, "tmp_")),
    ...(await namesIn(lfsStorePath(store.path), unfinishedPrefix)),
  ];
  for (const path of left) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedMs) await removeTree(path);
  }
  const known = new Set(await packNamesIn(pack).catch(() => []));
  // A pack without its index: the program ended between the two.
  for (const path of await namesIn(pack, "pack-")) {
    const name = path.slice(pack.length + 1).replace(/\.[a-z]+$/, "");
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (!known.has(name) && Date.now() - mtimeMs > abandonedMs) await rm(path, { force: true });
  }
}

/** The folder for what only `sett up` makes, which holds the lock of the instance. */
export function apartOf({ place, instance }: Pick<Store, "place" | "instance">): string {
  return join(place.commonDir, "sett/packing", instance);
}

/** Whether a link cannot be made for that reason. */
export function isWithoutLinks(error: unknown): boolean {
  return withoutLinks.includes(Object(error).code);
}

function unlessWithoutLinks(error: unknown): void {
  if (!isWithoutLinks(error)) throw error;
}

async function namesIn(folder: string, prefix: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
}
