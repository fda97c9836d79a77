// The tracked folders of a working copy in which nothing can be that git does not track, because
// nothing has changed in them since there was nothing.
//
// Each name that comes, goes or is another's changes the time of change (`ctime`) of its folder, as
// its mode does. The file system notes that time itself, and no program can set it. So a folder
// with the inode and the time that it had needs no look at what is in it.
import { chmodSync, lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";

type Stamp = { inode: bigint; changedNs: bigint };

const permissions = 0o7777;
/** A folder may have the group of the one that it is in. */
const inherited = 0o2000;
/** So many are looked at before others of this program have their turn. */
const atATime = 500;

export class KnownFolders {
  readonly #workspaceDir: string;
  #known = new Map<string, Stamp>();
  #seen = new Map<string, Stamp>();

  constructor(workspaceDir: string) {
    this.#workspaceDir = workspaceDir;
  }

  /**
   * The folders that are there, and in which anything may have changed; what has the place of one
   * is removed. In latin1, in their order.
   */
  async changed(folders: Iterable<string>): Promise<string[]> {
    const [known, changed] = [this.#known, [] as string[]];
    // Until `settle` says so none of them is known.
    this.#known = new Map();
    this.#seen = new Map();
    for await (const { folder, path, stats, stamp } of this.#lookAt(folders)) {
      if (stats.isDirectory()) {
        this.#seen.set(folder, stamp);
        if (!isSame(known.get(folder), stamp)) changed.push(folder);
      } else await removeTree(path);
    }
    return changed;
  }

  /**
   * After the checkout: gives folders the mode of one. Those that have not changed since
   * `changed` looked are known from now on, if that was before `beganNs`, the file system's own
   * time when all began: a later change has another time then.
   */
  async settle(folders: Iterable<string>, beganNs: bigint): Promise<void> {
    const mode = 0o777 & ~process.umask();
    const seen = this.#seen;
    this.#seen = new Map();
    for await (const { folder, path, stats, stamp } of this.#lookAt(folders)) {
      if (!stats.isDirectory()) continue;
      const isOwn = Number(stats.uid) === process.getuid?.();
      if (isOwn && (Number(stats.mode) & permissions & ~inherited) !== mode) {
        chmodSync(path, mode);
        continue;
      }
      if (stamp.changedNs < beganNs && isSame(seen.get(folder), stamp))
        this.#known.set(folder, stamp);
    }
  }

  /** Yields those that are there, whatever they are. */
  async *#lookAt(folders: Iterable<string>) {
    let looks = 0;
    for (const folder of folders) {
      if (++looks % atATime === 0) await setImmediate();
      const path = pathOfBytes(this.#workspaceDir, folder);
      const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
      if (stats === undefined) continue;
      yield { folder, path, stats, stamp: { inode: stats.ino, changedNs: stats.ctimeNs } };
    }
  }
}

function isSame(one: Stamp | undefined, other: Stamp): boolean {
  return one?.inode === other.inode && one.changedNs === other.changedNs;
}
