// Contents of LFS on their way from an agent: the pack of a commit brings those that the commit's
// pointers name, as objects that no commit reaches.
//
// Each is a blob with a line before the content, so that no history has the same blob: git leaves
// out of a pack what its readers have. No reader knows the blob's name. It looks for those of the
// length that a pointer says, and takes what has its SHA-256.
import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, readdirSync, writeSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { objectPath, type Pointer } from "./lfs-pointers.ts";
import type { GitRun } from "./run-git.ts";
import { type UntrustedFile, UntrustedFolder } from "./untrusted-folder.ts";

type Run = (run: GitRun) => Promise<string>;

/** `blob`: the name of the object that brings it. */
export type BroughtContent = Pointer & { blob: string };

const mark = Buffer.from("content of Git LFS\n");

/** Adds an object for the content of an open file. `beside`: a new file, for a moment. */
export async function addContent(run: Run, fd: number, beside: string): Promise<string> {
  try {
    await using marked = await open(beside, "wx");
    await marked.write(mark);
    for await (const piece of createReadStream("", { fd, start: 0, autoClose: false }))
      await marked.write(piece);
    const args = ["hash-object", "-w", "--stdin", "--no-filters"];
    const stdinFile = openSync(beside, "r");
    try {
      return (await run({ args, stdinFile })).trim();
    } finally {
      closeSync(stdinFile);
    }
  } finally {
    await rm(beside, { force: true });
  }
}

/**
 * The content where a git-lfs of the agent's image keeps it, in the repository of a workspace.
 * Undefined where it is not there as a regular file of that length.
 */
export function contentLeftIn(
  workspaceDir: string,
  { oid, size }: Pointer,
): UntrustedFile | undefined {
  const names = [".git", "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4)];
  const folders = [UntrustedFolder.open(workspaceDir)];
  try {
    for (const name of names) folders.push(folders.at(-1)?.folder(name));
    const file = folders.at(-1)?.file(oid, size);
    if (file?.size === size) return file;
    file?.[Symbol.dispose]();
    return undefined;
  } catch (error) {
    // A link, a pipe, or a larger file.
    if (error instanceof SettError) return undefined;
    throw error;
  } finally {
    for (const folder of folders.reverse()) folder?.[Symbol.dispose]();
  }
}

/**
 * The contents of pointers that the packs of an object store bring; not those of a store from which
 * it borrows. Throws git-failed.
 */
export async function findContents(
  run: Run,
  objectsDir: string,
  pointers: readonly Pointer[],
): Promise<BroughtContent[]> {
  if (pointers.length === 0) return [];
  const lengths = new Set(pointers.map(({ size }) => mark.length + size));
  const blobs: string[] = [];
  for (const index of indexesIn(join(objectsDir, "pack"))) {
    const stdin = await namesIn(run, index);
    const args = ["cat-file", "--batch-check=%(objecttype) %(objectsize) %(objectname)"];
    for (const line of (await run({ args, stdin })).split("\n")) {
      const [type, size, name = ""] = line.split(" ");
      if (type === "blob" && lengths.has(Number(size))) blobs.push(name);
    }
  }
  const oids = new Set(pointers.map(({ oid }) => oid));
  return (await readContents(run, blobs)).filter(({ oid }) => oids.has(oid));
}

/** A small pack may unpack to much, so that they are counted before one is written. */
export function bytesOfContents(contents: readonly BroughtContent[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0);
}

/** Reads those of the objects that bring contents. `onPiece` gets the contents in pieces. */
export async function readContents(
  run: Run,
  blobs: readonly string[],
  onPiece: (piece: Uint8Array) => void = () => {},
): Promise<BroughtContent[]> {
  const found = new Map<string, BroughtContent>();
  for (const blob of new Set(blobs)) {
    const hash = createHash("sha256");
    let size = 0;
    const isContent = await readContent(run, blob, (piece) => {
      hash.update(piece);
      size += piece.length;
      onPiece(piece);
    });
    if (isContent) found.set(blob, { blob, oid: hash.digest("hex"), size });
  }
  return [...found.values()];
}

/** Puts a content into a folder of them. Throws git-failed where it is another one. */
export async function writeContent(
  run: Run,
  { oid, blob }: BroughtContent,
  folder: string,
): Promise<string> {
  const to = objectPath(folder, oid);
  await mkdir(dirname(to), { recursive: true });
  const unfinished = `${to}.${crypto.randomUUID()}`;
  try {
    const hash = createHash("sha256");
    const fd = openSync(unfinished, "wx", 0o644);
    try {
      await readContent(run, blob, (piece) => {
        hash.update(piece);
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
      });
    } finally {
      closeSync(fd);
    }
    if (hash.digest("hex") !== oid)
      throw new SettError("git-failed", `The object ${blob} is not the content ${oid} of LFS.`);
    await rename(unfinished, to);
    return to;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** False for an object without the mark, of which nothing is passed on. */
async function readContent(
  run: Run,
  blob: string,
  onPiece: (piece: Uint8Array) => void,
): Promise<boolean> {
  let before = Buffer.alloc(0);
  let isOther = false;
  const onStdout = (chunk: Uint8Array) => {
    if (before.length === mark.length || isOther) return isOther ? undefined : onPiece(chunk);
    const missing = mark.length - before.length;
    before = Buffer.concat([before, chunk.subarray(0, missing)]);
    isOther = !mark.subarray(0, before.length).equals(before);
    if (!isOther && chunk.length > missing) onPiece(chunk.subarray(missing));
  };
  await run({ args: ["cat-file", "blob", blob], onStdout });
  return !isOther && before.length === mark.length;
}

function indexesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".idx"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The names of all objects of a pack, each with a newline. */
async function namesIn(run: Run, index: string): Promise<string> {
  const stdinFile = openSync(index, "r");
  try {
    const lines = await run({ args: ["show-index"], stdinFile });
    return lines
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "")
      .filter((name) => name !== "")
      .map((name) => `${name}\n`)
      .join("");
  } finally {
    closeSync(stdinFile);
  }
}
