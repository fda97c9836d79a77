// Gives files that root has just made in a repository to the repository's owner.
import { constants, open } from "node:fs/promises";
import type { Owner } from "./find-repository.ts";

/**
 * Changes the owner of each file or folder by its descriptor, without following links and without
 * what is below it. Only root can; for other users there is nothing to do. A path that does not
 * exist, or is not root's alone, stays as it is.
 */
export async function changeOwner(owner: Owner, ...paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || owner.uid === 0) return;
  for (const path of paths) {
    const handle = await open(
      path,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    ).catch(() => undefined);
    if (handle === undefined) continue;
    try {
      const stats = await handle.stat();
      // A file with a second name may belong to another user; only folders always have several
      // links.
      const isOurs =
        stats.uid === 0 && (stats.isDirectory() || (stats.isFile() && stats.nlink === 1));
      if (isOurs) await handle.chown(owner.uid, owner.gid);
    } finally {
      await handle.close();
    }
  }
}
