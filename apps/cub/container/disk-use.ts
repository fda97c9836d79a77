// Counts what a folder takes of its disk. A command that would take more than it may hides what it
// writes: names are bytes, because there may be none that text can say, and closed folders are
// opened.
import type { Stats } from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import process from "node:process";
import { openListing } from "../../../lib/folders/list-folder.ts";
import { unnamedBytes } from "./unnamed-files.ts";

/**
 * A file or folder counts as much, however small its content is: millions of empty files would
 * otherwise count nothing.
 */
const minBytesEach = 4096;
const bytesPerBlock = 512;
const atATime = 64;
/** A command may close a folder again while it is read. */
const tries = 3;
const ownerRights = 0o700;
const slash = Buffer.from("/");

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
