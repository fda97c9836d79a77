// The files of LFS in a working copy: a checkout writes pointers, and what is shown of the contents
// comes in their place. Git's index says then that these files are unchanged, as after a checkout
// with git-lfs, which need not be in the image.
import { type BigIntStats, constants, lstatSync } from "node:fs";
import { chmod, copyFile, lstat, stat, utimes } from "node:fs/promises";
import { type Path, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import {
  objectPath,
  type Pointer,
  type PointerFile,
  pointersInIndex,
} from "../run/lfs-pointers.ts";
import type { GitRun } from "../run/run-git.ts";
import { sizesInIndex, withStats } from "./index-stats.ts";
import type { PathPointer } from "./layer.ts";

interface Smudging {
  readonly workspaceDir: string;
  /** Runs git in the working copy, whose files are those of the index. */
  readonly run: (run: GitRun) => Promise<unknown>;
  readonly index: Uint8Array;
  readonly hashBytes: 20 | 32;
  /** Contents, as `objectPath` names them. */
  readonly objectsDir: string | undefined;
  /** The limit of the contents; undefined where nothing limits them. */
  readonly maxBytes: number | undefined;
}

/**
 * `index`: the new one, undefined where nothing has changed; it must be written later than
 * `latestNs`, or the next checkout writes all again. `lacking`: the files that stay pointers.
 * `bytes`: of the contents.
 */
type Smudged = {
  index: Uint8Array | undefined;
  latestNs: bigint;
  lacking: PathPointer[];
  bytes: number;
};

/** Git compares files that were written at the time of its index, and would see no pointer. */
const earlierMs = 10_000;

/** Undefined where the contents take more than they may. Throws git-failed. */
export async function smudge(given: Smudging): Promise<Smudged | undefined> {
  const { workspaceDir, run, index, hashBytes, objectsDir, maxBytes } = given;
  const files = await pointersInIndex(run);
  if (files.length === 0) return { index: undefined, latestNs: 0n, lacking: [], bytes: 0 };
  const noted = sizesInIndex(index, hashBytes);
  const stats = new Map<string, BigIntStats>();
  const lacking: PathPointer[] = [];
  let latestNs = 0n;
  let bytes = 0;
  for (const file of files) {
    const place = pathOfBytes(workspaceDir, file.path);
    const content = objectsDir === undefined ? undefined : await contentOf(objectsDir, file);
    // A checkout has written the pointer again if the content was not as it was before.
    const isContent = noted.get(file.path) === file.size % 2 ** 32;
    const isPointer = !isContent || file.size === file.blobBytes;
    if (content === undefined && isPointer) {
      lacking.push({ path: file.path, oid: file.oid, size: file.size });
      continue;
    }
    bytes += file.size;
    if (maxBytes !== undefined && bytes > maxBytes) return undefined;
    if (content === undefined || !isPointer) continue;
    await write(place, file, content);
    const written = lstatSync(place, { bigint: true });
    if (written.ctimeNs > latestNs) latestNs = written.ctimeNs;
    stats.set(file.path, written);
  }
  return {
    index: stats.size === 0 ? undefined : withStats(index, hashBytes, stats),
    ...{ latestNs, lacking, bytes },
  };
}

/** Undefined where it is not there. */
export async function contentOf(
  objectsDir: string,
  { oid, size }: Pointer,
): Promise<string | undefined> {
  const path = objectPath(objectsDir, oid);
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size ? path : undefined;
}

async function write(file: Path, { isProgram }: PointerFile, content: string): Promise<void> {
  await removeTree(file);
  const mode = (isProgram ? 0o777 : 0o666) & ~process.umask();
  await copyFile(content, file, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(file, mode);
  const earlier = new Date((await stat(file)).ctimeMs - earlierMs);
  await utimes(file, earlier, earlier);
}
