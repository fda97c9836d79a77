// A checkout that was made once, for many working copies to begin with. They lie over it and cannot
// change it. Beside the files is what git has to know of them, where no command can write.
//
//   tree         the files of the commit, without a repository
//   index        git's own record of them; `index.0` and so on those of submodules
//   layer.json   the rest; it is written last
import { chmod, mkdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { LayerNote } from "../../model/layer.ts";
import type { Gitlink } from "../run/find-submodules.ts";
import type { Pointer } from "../run/lfs-pointers.ts";
import type { TreeFacts } from "./tree-facts.ts";

/**
 * The last checkout of a working copy. `index` was written at `writtenAt`, after all files.
 * `part`: which files it has (`SparsePaths`); empty for all. `hidden`: what it leaves out
 * (`TrackedFiles`), in latin1.
 */
export interface Checkout extends TreeFacts {
  readonly base: CommitHash;
  readonly part: string;
  readonly hidden: readonly string[];
  readonly index: Uint8Array;
  readonly writtenAt: { date: Date; ns: bigint };
  readonly submodules: readonly SubmoduleCheckout[];
  /** The files of LFS that are pointers, because their content was not there. */
  readonly pointers: readonly PathPointer[];
  /** What the contents of LFS take, which is not in `bytes`. */
  readonly contentBytes: number;
}

/** `path`: in latin1. */
export type PathPointer = Pointer & { readonly path: string };

/** `path`: in latin1. `checkout`: only in a layer, which has the submodule's files. */
export type SubmoduleCheckout = Gitlink & { readonly checkout?: Checkout };

const [indexFile, noteFile] = ["index", "layer.json"];

/** The checkout of the files in `tree`, which are there already. */
export async function writeLayer(folder: string, checkout: Checkout): Promise<void> {
  await mkdir(folder, { recursive: true });
  const note = await writeIndex(folder, checkout, "");
  const path = join(folder, noteFile);
  await writeFile(`${path}.new`, JSON.stringify(note));
  await rename(`${path}.new`, path);
  await chmod(folder, 0o755);
}

/** Undefined where none was made, or was not finished. */
export async function readLayer(folder: string): Promise<Checkout | undefined> {
  const path = join(folder, noteFile);
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  return await readIndex(folder, LayerNote.parse(JSON.parse(await readFile(path, "utf8"))), "");
}

/** `number`: of a submodule among those around it, behind theirs: `.0.2`. */
async function writeIndex(folder: string, checkout: Checkout, number: string): Promise<LayerNote> {
  const { base, part, folders, hidden, attributes, index, writtenAt, bytes = 0 } = checkout;
  const { pointers, contentBytes } = checkout;
  const path = join(folder, indexFile + number);
  await writeFile(path, index);
  await utimes(path, writtenAt.date, writtenAt.date);
  const submodules: LayerNote["submodules"] = [];
  for (const [at, { checkout: inside, ...link }] of checkout.submodules.entries())
    submodules.push({
      ...link,
      ...(inside && { note: await writeIndex(folder, inside, `${number}.${at}`) }),
    });
  return {
    ...{ base, part, attributes, bytes, folders: [...folders], hidden: [...hidden], submodules },
    ...{ pointers: [...pointers], content_bytes: contentBytes },
    ...{ written_ms: writtenAt.date.getTime(), written_ns: String(writtenAt.ns) },
  };
}

async function readIndex(folder: string, note: LayerNote, number: string): Promise<Checkout> {
  const { base, part, folders, hidden, attributes, bytes, written_ms, written_ns } = note;
  const { pointers, content_bytes: contentBytes } = note;
  const index = await readFile(join(folder, indexFile + number));
  const writtenAt = { date: new Date(written_ms), ns: BigInt(written_ns) };
  const submodules: SubmoduleCheckout[] = [];
  for (const [at, { note: inside, ...link }] of note.submodules.entries())
    submodules.push({
      ...link,
      ...(inside && { checkout: await readIndex(folder, inside, `${number}.${at}`) }),
    });
  const last = { base, part, folders, hidden, attributes, bytes, pointers, contentBytes };
  return { ...last, index, writtenAt, submodules };
}
