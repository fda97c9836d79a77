// Removes what a tool left behind, also where the tool removed the owner's permission to write.
import { constants, existsSync, readFileSync } from "node:fs";
import { chmod, lstat, open, rename, rm, rmdir } from "node:fs/promises";
import { entriesOf, type FolderEntry, type Path, pathIn } from "./folder-entries.ts";

/** Removes a file or folder, symbolic links not followed. Nothing there is fine. */
export async function removeTree(path: Path): Promise<void> {
  try {
    // Typed for texts and addresses alone, and takes bytes as well.
    await rm(path as string, { recursive: true, force: true });
  } catch (error) {
    // Permissions never stop root, and changing them by name could reach a file that has since been
    // replaced.
    if (isUnstoppable()) throw error;
    await removeStubborn(path);
  }
}

/** Root of a container that has no capabilities is stopped by permissions as anyone is. */
function isUnstoppable(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const [, capabilities = ""] =
      /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    const toOverridePermissions = 1n << 1n;
    return capabilities === "" || (BigInt(`0x${capabilities}`) & toOverridePermissions) !== 0n;
  } catch {
    return true;
  }
}

const ownerRights = 0o700;

/**
 * Level by level: what is in a folder of the top moves to the top. So no path is ever too long,
 * however deep a tool has dug. What cannot be removed keeps nothing else; then it throws the first
 * reason.
 */
async function removeStubborn(path: Path): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats === undefined) return;
  if (!stats.isDirectory()) return await rm(path as string, { force: true });
  await giveRights(path, stats.mode);
  await inFolder(path, async (top) => {
    for (let isDone = false; !isDone; ) isDone = await raise(top);
  });
  await rmdir(path);
}

/** True when nothing is left. Throws when nothing could be removed. */
async function raise(top: string): Promise<boolean> {
  let problem: unknown;
  let hasRemoved = false;
  let isEmpty = true;
  for await (const entry of entriesOf(top)) {
    isEmpty = false;
    try {
      await raiseEntry(top, entry);
      hasRemoved = true;
    } catch (error) {
      problem ??= error;
    }
  }
  if (!hasRemoved && problem !== undefined) throw problem;
  return isEmpty;
}

async function raiseEntry(top: string, { path, kind }: FolderEntry): Promise<void> {
  if (kind !== "folder") return await rm(path as string, { force: true });
  await giveRights(path, 0);
  await inFolder(path, async (folder) => {
    for await (const inner of entriesOf(folder)) {
      if (inner.kind !== "folder") await rm(inner.path as string, { force: true });
      else {
        // To move a folder is to write into it, where it says what it is in.
        await giveRights(inner.path, 0);
        await rename(inner.path, pathIn(top, `raised-${crypto.randomUUID()}`));
      }
    }
  });
  await rmdir(path);
}

async function giveRights(path: Path, mode: number): Promise<void> {
  if ((mode & ownerRights) !== ownerRights) await chmod(path, (mode & 0o7777) | ownerRights);
}

/**
 * Reaches it by its descriptor where the machine has paths of these: what takes the folder's place
 * meanwhile is not reached.
 */
async function inFolder(path: Path, use: (folder: string) => Promise<void>): Promise<void> {
  await using folder = await open(
    path,
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  const byDescriptor = `/proc/self/fd/${folder.fd}`;
  await use(existsSync(byDescriptor) ? byDescriptor : path.toString());
}

/**
 * Removes all that is in the folder; the folder itself may be a mount point. What cannot be removed
 * keeps nothing else; then it throws.
 */
export async function emptyFolder(path: Path): Promise<void> {
  await resetFolder(path, {});
}

/**
 * Brings a folder back to what it was before anyone has worked in it: empty but for what `isKept`,
 * and with its mode (without one, the owner may list and change it again). No folder is fine. What
 * others than this user have made may stay. What cannot be removed keeps nothing else; then it
 * throws the first reason.
 */
export async function resetFolder(
  path: Path,
  {
    mode,
    isKept = () => false,
  }: { mode?: number; isKept?: (entry: FolderEntry) => boolean | Promise<boolean> },
): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new Error(`${path} is no folder.`);
  if (isOwn(stats)) await restoreMode(path, stats.mode, mode);
  let problem: unknown;
  const remove = async (entry: FolderEntry) => {
    try {
      if (!(await isKept(entry))) await removeTree(entry.path);
    } catch (error) {
      const left = await lstat(entry.path).catch(unlessMissing);
      if (left !== undefined && isOwn(left) && !isMount(error)) problem ??= error;
    }
  };
  try {
    for await (const entry of entriesOf(path)) await remove(entry);
  } catch (error) {
    if (isOwn(stats)) throw error;
  }
  if (problem !== undefined) throw problem;
}

/** What is mounted, or mounted so that it cannot be written to, is not what a tool has left. */
function isMount(error: unknown): boolean {
  return ["EBUSY", "EROFS"].includes(String(Object(error).code));
}

/** Gives a folder of this user its mode again. No folder is fine. */
export async function resetMode(path: Path, mode: number): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats !== undefined && isOwn(stats)) await restoreMode(path, stats.mode, mode);
}

async function restoreMode(path: Path, before: number, mode: number | undefined): Promise<void> {
  if (mode === undefined) return await giveRights(path, before);
  // Some file systems of other machines have modes of their own, which no one can change.
  if ((before & 0o7777) !== mode)
    await chmod(path, mode).catch((error) =>
      giveRights(path, before).catch(() => Promise.reject(error)),
    );
}

function isOwn({ uid }: { uid: number }): boolean {
  return uid === process.getuid?.();
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/**
 * Gives the owner the permission again to list, enter and change every folder of a tree, symbolic
 * links not followed.
 */
async function makeFoldersWritable(path: Path): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return;
  await giveRights(path, stats.mode);
  for await (const entry of entriesOf(path))
    if (entry.kind === "folder") await makeFoldersWritable(entry.path);
}

/** Removes pipes, sockets and devices from a tree: a program that opens one may wait for ever. */
async function removeSpecialFiles(path: Path): Promise<void> {
  for await (const entry of entriesOf(path)) {
    if (entry.kind === "folder") await removeSpecialFiles(entry.path);
    else if (entry.kind === "special") await rm(entry.path as string, { force: true });
  }
}

/** Names what a tool may have left in the way of git. */
export async function mendFolder(path: Path): Promise<void> {
  await makeFoldersWritable(path);
  await removeSpecialFiles(path);
}
