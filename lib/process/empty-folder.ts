// Removes all that is in a folder, whatever its owner has done to keep it.
import { chmod, lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";

/** All but the names to keep. What cannot be removed is left, as what belongs to another user. Never follows a link. */
export async function emptyFolder(folder: string, keep: ReadonlySet<string> = new Set()): Promise<void> {
  for (const name of await readdir(folder)) if (!keep.has(name)) await removeAll(join(folder, name));
}

async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await removeOneByOne(path).catch(() => {});
  }
}

/** A folder without permissions keeps its content even from its owner. */
async function removeOneByOne(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return unlink(path);
  await chmod(path, 0o700);
  await emptyFolder(path);
  await rm(path, { recursive: true, force: true });
}
