// Removes what a tool left behind, also where the tool removed the owner's permission to write.
import { readFileSync } from "node:fs";
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a file or folder, symbolic links not followed. Nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Permissions never stop root, and changing them by name could reach a file that has since been replaced.
    if (isUnstoppable()) throw error;
    await makeFoldersWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Root of a container that has no capabilities is stopped by permissions as anyone is. */
function isUnstoppable(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const [, capabilities = ""] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    const toOverridePermissions = 1n << 1n;
    return capabilities === "" || (BigInt(`0x${capabilities}`) & toOverridePermissions) !== 0n;
  } catch {
    return true;
  }
}

/** Removes all that is in the folder, except the named entries; the folder itself may be a mount point. */
export async function emptyFolder(path: string, keep: readonly string[] = []): Promise<void> {
  for (const name of await readdir(path)) {
    if (!keep.includes(name)) await removeTree(join(path, name));
  }
}

/** Gives the owner the permission again to list, enter and change every folder of a tree, symbolic links not followed. */
export async function makeFoldersWritable(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return;
  const ownerRights = 0o700;
  if ((stats.mode & ownerRights) !== ownerRights) await chmod(path, stats.mode | ownerRights);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeFoldersWritable(join(path, entry.name));
  }
}

/** Removes pipes, sockets and devices from a tree: a program that opens one may wait for ever. */
export async function removeSpecialFiles(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const each = join(path, entry.name);
    if (entry.isDirectory()) await removeSpecialFiles(each);
    else if (!entry.isFile() && !entry.isSymbolicLink()) await rm(each, { force: true });
  }
}

/** What a tool may have left in the way of git. */
export async function mendFolder(path: string): Promise<void> {
  await makeFoldersWritable(path);
  await removeSpecialFiles(path);
}
