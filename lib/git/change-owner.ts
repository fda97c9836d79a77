// Gives what root has just made in somebody's repository to the one who owns it.
import { constants, open } from "node:fs/promises";
import type { Owner } from "./find-repository.ts";

/**
 * Changes the owner of each file or folder by its descriptor, links not followed and nothing below it touched; only root can, and
 * for anybody else there is nothing to do. What is not there, or is not root's own alone, is left as it is.
 */
export async function giveTo(owner: Owner, ...paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || owner.uid === 0) return;
  for (const path of paths) {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
    if (handle === undefined) continue;
    try {
      const stats = await handle.stat();
      // A file with a second name may be another's; only a folder has several links by nature.
      const isOurs = stats.uid === 0 && (stats.isDirectory() || (stats.isFile() && stats.nlink === 1));
      if (isOurs) await handle.chown(owner.uid, owner.gid);
    } finally {
      await handle.close();
    }
  }
}
