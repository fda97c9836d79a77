// Counts open files that have no name any more. No folder shows them, but their room is free only
// when the last process has closed them.
import { readdir, readlink, stat } from "node:fs/promises";

const bytesPerBlock = 512;
const atATime = 64;
/** The kernel adds it to the path that a file had. */
const removed = Buffer.from(" (deleted)");

/**
 * The bytes of all open files of this system's processes that were in the folder and were removed.
 * Zero for what this user may not see, and where there is no `/proc`.
 */
export async function unnamedBytes(folder: string): Promise<number> {
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
