// Counts what a folder takes of its disk. A command that would take more than it may hides what it
// writes: names are bytes, because there may be none that text can say, and closed folders are
// opened.
import type { Stats } from "node:fs";
import { chmod, lstat, readdir, readlink, stat } from "node:fs/promises";
import process from "node:process";
import { openListing } from "../../../lib/folders/list-folder.ts";

/**
 * A file or folder counts as much, however small its content is: millions of empty files would
 * otherwise count nothing.
 */
export const minBytesEach = 4096;
const bytesPerBlock = 512;
const atATime = 64;
/** A command may close a folder again while it is read. */
const tries = 3;
const ownerRights = 0o700;
const slash = Buffer.from("/");
/** The kernel adds it to the path that a file had. */
const removed = Buffer.from(" (deleted)");

/**
 * Infinite: it cannot be counted, because a path is too long to be followed, or because it is
 * closed again and again.
 */
class Uncountable extends Error {}

/**
 * The bytes of all that is in the folder, links not followed, and of open files that were there and
 * have no name any more; counting ends early above `enoughBytes`. A folder that its owner may not
 * list is opened up first. Infinite where a command keeps it from being counted. A file that goes
 * meanwhile does not count.
 */
export async function diskUse(
  folder: string,
  enoughBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  try {
    const named = await namedBytes(Buffer.from(folder), enoughBytes);
    return named > enoughBytes ? named : named + (await unnamedBytes(folder));
  } catch (error) {
    if (error instanceof Uncountable) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function namedBytes(root: Buffer, enoughBytes: number): Promise<number> {
  const counted = new Set<number>();
  let bytes = 0;
  /**
   * The folders of one piece at a time: a command may make more of them than there is memory for
   * their names.
   */
  const count = async (folder: Buffer): Promise<void> => {
    await using listing = await opened(root, folder, () => openListing(folder));
    for await (const piece of listing?.pieces() ?? []) {
      const folders: Buffer[] = [];
      for (let at = 0; at < piece.length; at += atATime) {
        const paths = piece
          .slice(at, at + atATime)
          .map(({ name }) => Buffer.concat([folder, slash, name]));
        const found = await Promise.all(
          paths.map((path) => opened(root, folder, () => lstat(path))),
        );
        for (const [index, stats] of found.entries()) {
          const path = paths[index];
          if (stats === undefined || path === undefined) continue;
          if (stats.isDirectory()) folders.push(path);
          else if (stats.nlink > 1) {
            if (counted.has(stats.ino)) continue;
            counted.add(stats.ino);
          }
          bytes += Math.max(minBytesEach, stats.blocks * bytesPerBlock);
        }
        if (bytes > enoughBytes) return;
      }
      for (const inner of folders) {
        await count(inner);
        if (bytes > enoughBytes) return;
      }
    }
  };
  await count(root);
  return bytes;
}

/**
 * Reads in the folder, which is opened up where it is closed. Undefined for a file that has gone,
 * and for one that another user has closed.
 */
async function opened<Result>(
  root: Buffer,
  folder: Buffer,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      return await read();
    } catch (error) {
      const { code } = Object(error);
      if (code === "ENAMETOOLONG") throw new Uncountable();
      if (code !== "EACCES") return undefined;
      if (!(await openUp(root, folder))) return undefined;
    }
  }
  throw new Uncountable();
}

/**
 * Opens each folder from `root` down to `folder`. False where one of another user is closed: no
 * command can have done that.
 */
async function openUp(root: Buffer, folder: Buffer): Promise<boolean> {
  for (
    let end = root.length;
    end !== -1;
    end = end === folder.length ? -1 : endOfName(folder, end + 1)
  ) {
    const path = folder.subarray(0, end);
    const stats: Stats | undefined = await lstat(path).catch(() => undefined);
    if (stats === undefined || !stats.isDirectory() || (stats.mode & ownerRights) === ownerRights)
      continue;
    if (stats.uid !== process.getuid?.()) return false;
    await chmod(path, ownerRights).catch(() => {});
  }
  return true;
}

function endOfName(path: Buffer, from: number): number {
  const at = path.indexOf(slash, from);
  return at === -1 ? path.length : at;
}

/**
 * Counts open files that have no name any more. No folder shows them, but their room is free only
 * when the last process has closed them.
 *
 * The bytes of all open files of this system's processes that were in the folder and were removed.
 * Zero for what this user may not see, and where there is no `/proc`.
 */
async function unnamedBytes(folder: string): Promise<number> {
  const beginning = Buffer.from(`${folder}/`);
  const counted = new Set<string>();
  let bytes = 0;
  for await (const descriptors of openFiles()) {
    const found = await Promise.all(descriptors.map((path) => unnamedIn(beginning, path)));
    for (const file of found) {
      if (file === undefined || counted.has(file.id)) continue;
      counted.add(file.id);
      bytes += file.bytes;
    }
  }
  return bytes;
}

/**
 * Lists the open files of each thread: it may have a table of its own, and its process's first
 * thread may have ended.
 */
async function* openFiles(): AsyncGenerator<string[]> {
  for (const pid of await namesIn("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const thread of await namesIn(`/proc/${pid}/task`)) {
      const table = `/proc/${pid}/task/${thread}/fd`;
      const names = await namesIn(table);
      for (let at = 0; at < names.length; at += atATime)
        yield names.slice(at, at + atATime).map((name) => `${table}/${name}`);
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

async function unnamedIn(
  beginning: Buffer,
  path: string,
): Promise<{ id: string; bytes: number } | undefined> {
  try {
    const was = await readlink(path, { encoding: "buffer" });
    if (
      !was.subarray(0, beginning.length).equals(beginning) ||
      !was.subarray(-removed.length).equals(removed)
    )
      return undefined;
    // Not `lstat`: this link leads to the file, whatever its path was.
    const { dev, ino, nlink, blocks } = await stat(path);
    return nlink === 0 ? { id: `${dev} ${ino}`, bytes: blocks * bytesPerBlock } : undefined;
  } catch {
    // It was just closed, or is another user's.
    return undefined;
  }
}
