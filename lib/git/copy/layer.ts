// A checkout that was made once, for many working copies to begin with. They lie over it and cannot
// change it. Beside the files is what git has to know of them, where no command can write.
//
//   tree         the files of the commit, without a repository
//   index        git's own record of them; `index.0` and so on those of submodules
//   layer.json   the rest; it is written last
import { readFileSync } from "node:fs";
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
  /** The size of the contents of LFS, which is not in `bytes`. */
  readonly contentBytes: number;
}

/** `path`: in latin1. */
export type PathPointer = Pointer & { readonly path: string };

/** `path`: in latin1. `checkout`: only where the submodule's files were left with the others. */
export type SubmoduleCheckout = Gitlink & { readonly checkout?: Checkout };

const [indexFile, noteFile] = ["index", "layer.json"];

/** The checkout of the files in `tree`, which are there already. */
export async function writeLayer(folder: string, checkout: Checkout): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [number, { index, writtenAt }] of indexesOf(checkout)) {
    const file = join(folder, indexFile + number);
    await writeFile(file, index);
    await utimes(file, writtenAt.date, writtenAt.date);
  }
  const path = join(folder, noteFile);
  await writeFile(`${path}.new`, JSON.stringify(noteOf(checkout)));
  await rename(`${path}.new`, path);
  await chmod(folder, 0o755);
}

/** Undefined where none was made, or was not finished. */
export async function readLayer(folder: string): Promise<Checkout | undefined> {
  const path = join(folder, noteFile);
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  const note = LayerNote.parse(JSON.parse(await readFile(path, "utf8")));
  return checkoutOf(note, (number) => readFileSync(join(folder, indexFile + number)));
}

/**
 * The checkouts that have an index, each with its number: of a submodule among those around it,
 * behind theirs, as `.0.2`.
 */
export function* indexesOf(checkout: Checkout, number = ""): Generator<[string, Checkout]> {
  yield [number, checkout];
  for (const [at, { checkout: inside }] of checkout.submodules.entries())
    if (inside !== undefined) yield* indexesOf(inside, `${number}.${at}`);
}

/** All of a checkout but its indexes. */
export function noteOf(checkout: Checkout): LayerNote {
  const { base, part, folders, hidden, attributes, writtenAt, bytes = 0 } = checkout;
  const { pointers, contentBytes } = checkout;
  const submodules = checkout.submodules.map(({ checkout: inside, ...link }) => ({
    ...link,
    ...(inside && { note: noteOf(inside) }),
  }));
  return {
    ...{ base, part, attributes, bytes, folders: [...folders], hidden: [...hidden], submodules },
    ...{ pointers: [...pointers], content_bytes: contentBytes },
    ...{ written_ms: writtenAt.date.getTime(), written_ns: String(writtenAt.ns) },
  };
}

/** `indexOf`: reads the index of a number. */
export function checkoutOf(
  note: LayerNote,
  indexOf: (number: string) => Uint8Array,
  number = "",
): Checkout {
  const { base, part, folders, hidden, attributes, bytes, written_ms, written_ns } = note;
  const { pointers, content_bytes: contentBytes } = note;
  const writtenAt = { date: new Date(written_ms), ns: BigInt(written_ns) };
  const submodules = note.submodules.map(({ note: inside, ...link }, at) => ({
    ...link,
    ...(inside && { checkout: checkoutOf(inside, indexOf, `${number}.${at}`) }),
  }));
  const last = { base, part, folders, hidden, attributes, bytes, pointers, contentBytes };
  return { ...last, index: indexOf(number), writtenAt, submodules };
}
