// Keeps an agent's own folder of the exchange to what its cub has published: its command can write
// there, and others read it.
import { constants, type Stats } from "node:fs";
import { chmod, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import type { FolderEntry } from "../../folders/folder-entries.ts";
import { resetFolder } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { commitIn, isBeingWritten, packName } from "../exchange/pack-name.ts";
import { checkedDigest, digestBytes, statedDigest } from "./pack-digest.ts";

const fileMode = 0o644;
const pathMode = 0o755;

/** `digest`: the pack's checksum; undefined where it was not checked. */
type Known = { ino: number; version: string; digest: string | undefined };

export class AgentFolder {
  readonly path: string;
  readonly #isShared: boolean;
  /** By the names of their files. It is kept here, where no command can write to it. */
  readonly #known = new Map<string, Known>();
  #hasAdopted = false;

  /** `isShared`: other containers of the agent publish there as well. */
  constructor(path: string, isShared: boolean) {
    this.path = path;
    this.#isShared = isShared;
  }

  /** The commit has just been published, and other names may have become names of its file. */
  async note(commit: CommitHash): Promise<void> {
    const name = packName(commit);
    const path = join(this.path, name);
    const stats = await lstat(path);
    await using file = await open(path);
    const digest = await statedDigest(file, stats.size, digestBytes(name));
    const known = { ...versionOf(stats), digest };
    this.#known.set(name, known);
    for (const other of this.#known.keys()) {
      const { ino } = await lstat(join(this.path, other)).catch(() => ({ ino: undefined }));
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
    await resetFolder(this.path, { mode: pathMode, isKept });
  }

  async #isKept(
    name: string,
    stats: Stats,
    isFirst: boolean,
    checked: Map<number, string | undefined>,
  ): Promise<boolean> {
    if (!stats.isFile()) return false;
    if (this.#isShared && isBeingWritten(name, stats, Date.now())) return true;
    if (commitIn(name) === undefined) return false;
    const known = this.#known.get(name);
    if (known === undefined && !isFirst && !this.#isShared) return false;
    if (known?.version === versionOf(stats).version) return true;
    const path = join(this.path, name);
    // Reading them all is too much for a container that does one grant.
    const isTrusted = isFirst && this.#isShared;
    if (!checked.has(stats.ino))
      checked.set(stats.ino, isTrusted ? undefined : await digestOf(path, stats.size, name));
    const digest = checked.get(stats.ino);
    if (digest === undefined && !isTrusted) return false;
    if (known?.digest !== undefined && known.digest !== digest) return false;
    if ((stats.mode & 0o7777) !== fileMode) await chmod(path, fileMode);
    this.#known.set(name, { ...versionOf(await lstat(path)), digest });
    return true;
  }
}

/** Undefined for a pack that is not whole. */
async function digestOf(path: string, size: number, name: string): Promise<string | undefined> {
  await using file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  return await checkedDigest(file, size, digestBytes(name));
}

/** Whatever changes the file changes the time of the inode, which no program can set. */
function versionOf({ ino, size, ctimeMs }: Stats): { ino: number; version: string } {
  return { ino, version: `${ino} ${size} ${ctimeMs}` };
}
