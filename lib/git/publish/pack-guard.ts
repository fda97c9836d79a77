// Keeps what an agent has published from the commands of its later grants, which can write to the
// same folder: a result on record may not have been fetched yet.
//
// Each pack stays open. A file without a name is still there for the process that has it open, and
// no other process can reach what the cub has open. What a command has written into is lost; that
// is said at once, and not found out when the result is wanted.
import { chmodSync } from "node:fs";
import { chmod, constants, type FileHandle, link, lstat, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { commitIn, packName } from "../exchange/pack-name.ts";
import { readFetched } from "../exchange/store-notes.ts";
import { checkedDigest, chunksOf, digestBytes, statedDigest } from "./pack-digest.ts";

/** The number of files that stay open; those of the oldest commits are let go. */
const maxPacks = 1_000;
const fileMode = 0o644;
const folderMode = 0o755;

type Version = { ino: number; size: number; ctimeMs: number };
/** `digest`: the pack's checksum. */
type Pack = { file: FileHandle; version: Version; digest: string };
/** A file that is in place again, and one name of it. */
type Restored = { path: string; pack: Pack };

export class PackGuard implements AsyncDisposable {
  readonly #folder: string;
  readonly #objectsDir: string;
  readonly #packs = new Map<CommitHash, Pack>();
  readonly #lost = new Set<CommitHash>();
  #hasAdopted = false;

  /** `folder`: the agent's own one. `objectsDir`: the store, which knows what was fetched. */
  constructor(folder: string, objectsDir: string) {
    this.#folder = folder;
    this.#objectsDir = objectsDir;
  }

  /** The commit has just been published, and other names may have become names of its file. */
  async keep(commit: CommitHash): Promise<void> {
    const before = [...this.#packs.values()];
    const pack = await this.#opened(commit);
    for (const other of [...this.#packs.keys()]) {
      const { ino } = (await lstat(this.#pathOf(other)).catch(() => undefined)) ?? {};
      if (ino === pack.version.ino) this.#packs.set(other, pack);
    }
    this.#packs.delete(commit);
    this.#packs.set(commit, pack);
    for (const [oldest] of this.#packs) {
      if (this.#packs.size <= maxPacks) break;
      this.#packs.delete(oldest);
    }
    await this.#closeUnused(before);
  }

  /**
   * Before the first command: takes over what is there, the newest before all, because an earlier
   * run of the cub, or another container of the agent, has published it. What cannot be opened is
   * left out. Never rejects.
   */
  async adopt(): Promise<void> {
    if (this.#hasAdopted) return;
    this.#hasAdopted = true;
    const found = (await this.#found().catch(() => [])).toSorted((a, b) => a.ctimeMs - b.ctimeMs);
    const byInode = new Map<number, Pack>();
    for (const { commit, ino } of found.slice(-maxPacks)) {
      if (this.#packs.has(commit)) continue;
      const pack = byInode.get(ino) ?? (await this.#opened(commit).catch(() => undefined));
      if (pack === undefined) continue;
      byInode.set(pack.version.ino, pack);
      this.#packs.set(commit, pack);
    }
  }

  /**
   * After a command: puts back what it has removed. The commits that it has destroyed are in
   * `takeLost` then. Never rejects.
   */
  async mend(): Promise<void> {
    const before = [...this.#packs.values()];
    await this.#letFetchedGo();
    const isWhole = new Map<Pack, boolean>();
    const again = new Map<Pack, Restored>();
    try {
      chmodSync(this.#folder, folderMode);
    } catch {
      // It is gone, and all else fails below.
    }
    for (const [commit, pack] of this.#packs) {
      const path = this.#pathOf(commit);
      const stats = await lstat(path).catch(() => undefined);
      const { ino, size, ctimeMs } = pack.version;
      const isSame = stats?.ino === ino;
      if (isSame && stats?.size === size && stats.ctimeMs === ctimeMs) continue;
      try {
        if (!isWhole.has(pack)) isWhole.set(pack, (await digestOf(pack, commit)) === pack.digest);
        if (isWhole.get(pack) !== true) throw new Error("Its content has changed.");
        if (isSame) await chmod(path, fileMode);
        const made = isSame ? { path, pack } : await this.#putBack(commit, pack, again.get(pack));
        made.pack.version = versionOf(await lstat(path));
        again.set(pack, made);
        this.#packs.set(commit, made.pack);
      } catch {
        this.#lost.add(commit);
        this.#packs.delete(commit);
      }
    }
    await this.#closeUnused(before);
  }

  /** The host removes what it has fetched, and others then read it from the store. */
  async #letFetchedGo(): Promise<void> {
    const fetched = await readFetched(this.#objectsDir);
    for (const commit of this.#packs.keys()) if (fetched.has(commit)) this.#packs.delete(commit);
  }

  /** The commits that are lost and were not taken from here yet. */
  takeLost(): CommitHash[] {
    const lost = [...this.#lost];
    this.#lost.clear();
    return lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const before = [...this.#packs.values()];
    this.#packs.clear();
    await this.#closeUnused(before);
  }

  async #found(): Promise<{ commit: CommitHash; ino: number; ctimeMs: number }[]> {
    const found: { commit: CommitHash; ino: number; ctimeMs: number }[] = [];
    for await (const { name, path, kind } of entriesOf(this.#folder)) {
      const commit = kind === "file" ? commitIn(name) : undefined;
      const stats = commit && (await lstat(path).catch(() => undefined));
      if (commit !== undefined && stats !== undefined)
        found.push({ commit, ino: stats.ino, ctimeMs: stats.ctimeMs });
    }
    return found;
  }

  async #opened(commit: CommitHash): Promise<Pack> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(this.#pathOf(commit), flags);
    const version = versionOf(await file.stat());
    return { file, version, digest: await statedDigest(file, version.size, digestBytes(commit)) };
  }

  /** `again`: the same file, under another name that is there. */
  async #putBack(commit: CommitHash, pack: Pack, again: Restored | undefined): Promise<Restored> {
    const path = this.#pathOf(commit);
    const unfinished = join(this.#folder, `.${commit}`);
    await removeTree(unfinished);
    try {
      const file = again === undefined ? await copied(pack, unfinished) : again.pack.file;
      if (again !== undefined) await link(again.path, unfinished);
      await removeTree(path);
      await rename(unfinished, path);
      return { path, pack: again?.pack ?? { ...pack, file } };
    } finally {
      await removeTree(unfinished).catch(() => undefined);
    }
  }

  async #closeUnused(before: readonly Pack[]): Promise<void> {
    const used = new Set([...this.#packs.values()].map(({ file }) => file));
    for (const file of new Set(before.map((pack) => pack.file)))
      if (!used.has(file)) await file.close().catch(() => undefined);
  }

  #pathOf(commit: CommitHash): string {
    return join(this.#folder, packName(commit));
  }
}

async function copied({ file, version }: Pack, path: string): Promise<FileHandle> {
  const copy = await open(path, "wx+", fileMode);
  try {
    for await (const { chunk, at } of chunksOf(file, version.size))
      await copy.write(chunk, 0, chunk.length, at);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}

/** Undefined where the content is not what it was. */
async function digestOf(
  { file, version: { size } }: Pack,
  name: string,
): Promise<string | undefined> {
  if ((await file.stat()).size !== size) return undefined;
  return await checkedDigest(file, size, digestBytes(name));
}

function versionOf({ ino, size, ctimeMs }: Version): Version {
  return { ino, size, ctimeMs };
}
