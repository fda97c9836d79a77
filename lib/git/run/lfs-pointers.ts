// Files whose content is kept by Git LFS: a commit has a pointer in their place, a text of a few
// lines (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
import { join } from "node:path";
import type { GitRun } from "./run-git.ts";

/** `oid`: the SHA-256 of the content, in hex. `size`: of the content, in bytes. */
export type Pointer = { oid: string; size: number };

/**
 * A file in an index. `path`: in latin1; `blob`: the name of the pointer in git, `blobBytes` its
 * length.
 */
export type PointerFile = Pointer & {
  path: string;
  isProgram: boolean;
  blob: string;
  blobBytes: number;
};

type Run = (run: GitRun) => Promise<unknown>;

/** A longer text is none, as the specification says. */
const maxPointerBytes = 1024;
const pattern =
  /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\n(?:ext-[^\n]+\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n$/;

/** Undefined for what is no pointer. */
export function readPointer(text: string): Pointer | undefined {
  const [, oid, size] = pattern.exec(text) ?? [];
  return oid === undefined ? undefined : { oid, size: Number(size) };
}

/** The path of the content, below a folder of objects. */
export function objectPath(objectsDir: string, oid: string): string {
  return join(objectsDir, oid.slice(0, 2), oid.slice(2, 4), oid);
}

/**
 * The pointers among the files of an index that LFS is to filter, without those that a sparse
 * checkout leaves out. `run`: in a repository whose folder has the attributes of the index, or no
 * files.
 */
export async function pointersInIndex(run: Run): Promise<PointerFile[]> {
  const listing = ["ls-files", "--stage", "-t", "-z", "--", ":(attr:filter=lfs)"];
  const entries = (await outputOf(run, { args: listing })).toString("latin1").split("\0");
  const files = entries.flatMap((entry) => {
    const [, mode, blob = "", path] = /^H (100\d+) ([0-9a-f]+) 0\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [{ path, blob, isProgram: mode === "100755" }];
  });
  const texts = await smallBlobs(
    run,
    files.map(({ blob }) => blob),
  );
  return files.flatMap((file) => {
    const text = texts.get(file.blob);
    const pointer = text === undefined ? undefined : readPointer(text);
    return pointer === undefined ? [] : [{ ...file, ...pointer, blobBytes: text?.length ?? 0 }];
  });
}

/** Whether a commit has attributes that name LFS. Throws nothing. */
export async function namesLfs(
  run: (run: GitRun) => Promise<{ exitCode: number | null }>,
  commit: string,
): Promise<boolean> {
  const files = ["--", ":(glob)**/.gitattributes"];
  return (
    (await run({ args: ["grep", "-q", "-F", "-e", "filter=lfs", commit, ...files] })).exitCode === 0
  );
}

/**
 * The pointers that commits have added, also those that a later one replaces. `revisions`: as
 * `rev-list` reads them, a line each.
 */
export async function addedPointers(run: Run, revisions: string): Promise<Pointer[]> {
  const args = [
    "log",
    "--stdin",
    "--format=",
    "--raw",
    "-r",
    "-m",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--root",
  ];
  const words = (await outputOf(run, { args, stdin: revisions })).toString("latin1").split("\0");
  const blobs = words.flatMap((word) => {
    const [, blob] = /^\n?:\d+ 100\d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]/.exec(word) ?? [];
    return blob === undefined ? [] : [blob];
  });
  const pointers = new Map<string, Pointer>();
  for (const text of (await smallBlobs(run, blobs)).values()) {
    const pointer = readPointer(text);
    if (pointer !== undefined) pointers.set(pointer.oid, pointer);
  }
  return [...pointers.values()];
}

/** The texts, in latin1, of blobs that are short enough to be pointers. */
export async function smallBlobs(
  run: Run,
  blobs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const wanted = [...new Set(blobs)];
  if (wanted.length === 0) return texts;
  const sizes = await outputOf(run, {
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"],
    stdin: wanted.map((blob) => `${blob}\n`).join(""),
  });
  const small = sizes
    .toString("latin1")
    .split("\n")
    .flatMap((line) => {
      const [name = "", type, size] = line.split(" ");
      return type === "blob" && Number(size) <= maxPointerBytes ? [name] : [];
    });
  if (small.length === 0) return texts;
  const stdin = small.map((blob) => `${blob}\n`).join("");
  const all = await outputOf(run, { args: ["cat-file", "--batch"], stdin });
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf("\n", at);
    const [name = "", , size] = all.toString("latin1", at, end).split(" ");
    const begin = end + 1;
    texts.set(name, all.toString("latin1", begin, begin + Number(size)));
    at = begin + Number(size) + 1;
  }
  return texts;
}

async function outputOf(run: Run, each: GitRun): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await run({ ...each, onStdout: (chunk) => chunks.push(chunk) });
  return Buffer.concat(chunks);
}
