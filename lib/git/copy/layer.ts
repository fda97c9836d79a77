// A checkout that was made once, for many working copies to begin with. They lie over it and cannot
// change it. Beside the files is what git has to know of them, where no command can write.
//
//   tree         the files of the commit, without a repository
//   index        git's own record of them
//   layer.json   the rest; it is written last
import { chmod, mkdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { LayerNote } from "../../model/layer.ts";

/**
 * The last checkout of a working copy. `index` was written at `writtenAt`, after all files.
 * `bytes`: of its files; undefined where nothing limits them.
 */
export interface Checkout {
  readonly base: CommitHash;
  readonly folders: readonly string[];
  readonly attributes: string;
  readonly bytes: number | undefined;
  readonly index: Uint8Array;
  readonly writtenAt: { date: Date; ns: bigint };
}

const [indexFile, noteFile] = ["index", "layer.json"];

/** The checkout of the files in `tree`, which are there already. */
export async function writeLayer(folder: string, checkout: Checkout): Promise<void> {
  const { base, folders, attributes, index, writtenAt, bytes = 0 } = checkout;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, indexFile), index);
  await utimes(join(folder, indexFile), writtenAt.date, writtenAt.date);
  const note: LayerNote = {
    ...{ base, attributes, bytes, folders: [...folders] },
    ...{ written_ms: writtenAt.date.getTime(), written_ns: String(writtenAt.ns) },
  };
  const path = join(folder, noteFile);
  await writeFile(`${path}.new`, JSON.stringify(note));
  await rename(`${path}.new`, path);
  await chmod(folder, 0o755);
}

/** Undefined where none was made, or was not finished. */
export async function readLayer(folder: string): Promise<Checkout | undefined> {
  const path = join(folder, noteFile);
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  const note = LayerNote.parse(JSON.parse(await readFile(path, "utf8")));
  const { base, folders, attributes, bytes, written_ms, written_ns } = note;
  const index = await readFile(join(folder, indexFile));
  const writtenAt = { date: new Date(written_ms), ns: BigInt(written_ns) };
  return { base, folders, attributes, bytes, index, writtenAt };
}
