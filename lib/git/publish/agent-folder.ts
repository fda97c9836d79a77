// What an agent's own folder of the exchange holds is what its cub has published, and nothing else:
// its command can write there, and others read it.
import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { chmod, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import type { FolderEntry } from "../../folders/folder-entries.ts";
import { resetFolder } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { packName } from "../exchange/exchange.ts";

export const packNames = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\.pack$/;
const unfinishedNames = /^\.(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** As long as git may take to write a pack: what is older was left by one that was ended. */
const unfinishedMs = 15 * 60_000;
const fileMode = 0o644;
const pathMode = 0o755;

/**
 * `digest`: the last bytes of the pack, by which git checks the rest; undefined where it was not
 * checked.
 */
type Known = { ino: number; version: string; digest: string | undefined };

export class OwnPacks {
  readonly folder: string;
  readonly #isShared: boolean;
  /** By the names of their files. It is kept here, where no command can write to it. */
  readonly #known = new Map<string, Known>();
  #hasAdopted = false;

  /** `isShared`: other containers of the agent publish there as well. */
  constructor(folder: string, isShared: boolean) {
    this.folder = folder;
    this.#isShared = isShared;
  }

  /** The commit has just been published, and other names may have become names of its file. */
  async note(commit: CommitHash): Promise<void> {
    const name = packName(commit);
    const stats = await lstat(join(this.folder, name));
    const known = {
      ...versionOf(stats),
      digest: await lastBytes(join(this.folder, name), stats.size, digestBytes(name)),
    };
    this.#known.set(name, known);
    for (const other of this.#known.keys()) {
      const { ino } = await lstat(join(this.folder, other)).catch(() => ({ ino: undefined }));
      if (ino === known.ino) this.#known.set(other, known);
    }
  }

  /**
   * Removes all else. What was there before this program started stays where it is whole: another
   * run of the cub has published it. Throws where something stays that should not.
   */
  async tidy(): Promise<void> {
    const isFirst = !this.#hasAdopted;
    this.#hasAdopted = true;
    /** By inode: many names may have one file. */
    const checked = new Map<number, string | undefined>();
    const isKept = async ({ name, path }: FolderEntry) => {
      // The name of a pack is text.
      if (typeof name !== "string" || typeof path !== "string") return false;
      return await this.#isKept(name, await lstat(path), isFirst, checked).catch(() => false);
    };
    await resetFolder(this.folder, { mode: pathMode, isKept });
  }

  async #isKept(
    name: string,
    stats: Stats,
    isFirst: boolean,
    checked: Map<number, string | undefined>,
  ): Promise<boolean> {
    if (!stats.isFile()) return false;
    if (this.#isShared && isBeingWritten(name, stats, Date.now())) return true;
    if (!packNames.test(name)) return false;
    const known = this.#known.get(name);
    if (known === undefined && !isFirst && !this.#isShared) return false;
    if (known?.version === versionOf(stats).version) return true;
    const path = join(this.folder, name);
    // Reading them all is too much for a container that does one grant.
    const isTrusted = isFirst && this.#isShared;
    if (!checked.has(stats.ino))
      checked.set(
        stats.ino,
        isTrusted ? undefined : await digestOf(path, stats.size, digestBytes(name)),
      );
    const digest = checked.get(stats.ino);
    if (digest === undefined && !isTrusted) return false;
    if (known?.digest !== undefined && known.digest !== digest) return false;
    if ((stats.mode & 0o7777) !== fileMode) await chmod(path, fileMode);
    this.#known.set(name, { ...versionOf(await lstat(path)), digest });
    return true;
  }
}

export function isBeingWritten(name: string, { ctimeMs }: Stats, now: number): boolean {
  return unfinishedNames.test(name) && now - ctimeMs < unfinishedMs;
}

/** Whatever changes the file changes the time of the inode, which no program can set. */
function versionOf({ ino, size, ctimeMs }: Stats): { ino: number; version: string } {
  return { ino, version: `${ino} ${size} ${ctimeMs}` };
}

/** The format of the objects shows in the length of a commit's name. */
function digestBytes(name: string): number {
  return name.length < 64 ? 20 : 32;
}

/** The last bytes of a pack that fit the rest of it, else undefined. */
async function digestOf(path: string, size: number, length: number): Promise<string | undefined> {
  const hash = createHash(length === 20 ? "sha1" : "sha256");
  let start: Buffer | undefined;
  if (size <= length) return undefined;
  for await (const chunk of createReadStream(path, { end: size - length - 1 })) {
    start ??= chunk.subarray(0, 4);
    if (start?.toString("latin1") !== "PACK") return undefined;
    hash.update(chunk);
  }
  const digest = hash.digest("hex");
  return digest === (await lastBytes(path, size, length)) ? digest : undefined;
}

async function lastBytes(path: string, size: number, length: number): Promise<string> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("hex");
}
