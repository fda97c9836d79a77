// Gives files that root has made in somebody's repository to the one who owns it.
import { lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Owner } from "./find-repository.ts";

/** Changes the owner of a tree, symbolic links not followed; only root can, and for anybody else there is nothing to do. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return;
  if (stats.uid !== owner.uid || stats.gid !== owner.gid) await lchown(path, owner.uid, owner.gid);
  if (!stats.isDirectory()) return;
  for (const name of await readdir(path)) await giveTo(owner, join(path, name));
}
