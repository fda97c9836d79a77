// Reads once what a checkout must know of a commit before it begins: the folders, the attributes,
// and what its files take, which may be thousands of times the size of the commit itself.
import { type Git, type GitRun, gitFailure, tryGit } from "../run/run-git.ts";
import type { SparsePaths } from "./sparse-paths.ts";

/**
 * Names are in latin1, one character for each byte. `folders`: each after the one that it is in,
 * with those of submodules.
 * `attributes`: the same text for two commits whose files follow from their content in the same
 * way; empty where there are none. `bytes`: what the files take that are checked out; undefined
 * where nothing limits them.
 */
export interface TreeFacts {
  readonly folders: readonly string[];
  readonly attributes: string;
  readonly bytes: number | undefined;
}

interface Reading {
  readonly git: Git;
  /** Makes a run one of the repository. */
  readonly of: (run: GitRun) => GitRun;
  readonly commit: string;
  /** In bytes; undefined: the sizes are not added up. */
  readonly maxBytes: number | undefined;
  /** Undefined: all files are checked out. */
  readonly sparse: SparsePaths | undefined;
  /** Gets each path with more bytes than that. */
  readonly long?: { readonly bytes: number; readonly onPath: (path: string) => void };
}

/** Cost of a file or folder as such, however small its content is. */
export const minBytesEach = 4096;
/** A file that is not checked out has a line in git's index all the same. */
const minBytesOfLine = 128;

/**
 * Undefined when the files take more than `maxBytes`: git is ended as soon as this is known,
 * because a small commit may have billions of files. An object that is missing is not counted: the
 * checkout says what is wrong. Throws git-failed.
 */
export async function readTree(reading: Reading): Promise<TreeFacts | undefined> {
  const { git, of, commit, maxBytes, sparse, long } = reading;
  const over = new AbortController();
  const folders: string[] = [];
  const attributes: string[] = [];
  const shownFolders = new Set<string>();
  let bytes = 0;
  let rest = "";
  const onEntry = (entry: string) => {
    const tab = entry.indexOf("\t");
    const path = entry.slice(tab + 1);
    if (long !== undefined && path.length > long.bytes) long.onPath(path);
    const [mode = "", type, object = "", size] = entry.slice(0, tab).split(/ +/);
    if (type === "tree" || type === "commit") folders.push(path);
    else if (/(?:^|\/)\.gitattributes$/.test(path)) attributes.push(`${mode} ${object} ${path}\0`);
    if (maxBytes === undefined) return;
    const isFile = type !== "tree";
    if (sparse === undefined) bytes += isFile ? bytesOfSize(Number(size)) : minBytesEach;
    else if (isFile && sparse.shows(path))
      bytes += bytesOfSize(Number(size)) + minBytesEach * countNew(shownFolders, path);
    else bytes += minBytesOfLine + path.length;
  };
  const onStdout = (chunk: Uint8Array) => {
    if (over.signal.aborted) return;
    const entries = (rest + Buffer.from(chunk).toString("latin1")).split("\0");
    rest = entries.pop() ?? "";
    for (const entry of entries) onEntry(entry);
    if (maxBytes !== undefined && bytes > maxBytes) over.abort();
  };
  const signal =
    git.signal === undefined ? over.signal : AbortSignal.any([git.signal, over.signal]);
  const sizes = maxBytes === undefined ? [] : ["--long"];
  const run = of({
    args: ["ls-tree", "-r", "-t", "-z", ...sizes, "--full-tree", commit],
    onStdout,
  });
  const result = await tryGit({ ...git, signal }, run);
  if (over.signal.aborted) return undefined;
  if (result.exitCode !== 0) throw gitFailure(run, result);
  const known = maxBytes === undefined ? undefined : bytes;
  return { folders, attributes: attributes.join(""), bytes: known };
}

/** `size`: of its content; what is no number is not known. */
export function bytesOfSize(size: number): number {
  return Number.isNaN(size) ? minBytesEach : Math.max(minBytesEach, size);
}

/** Adds the folders that a file is in, and returns how many were not there yet. */
function countNew(folders: Set<string>, file: string): number {
  let added = 0;
  for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const folder = file.slice(0, end);
    if (folders.has(folder)) break;
    folders.add(folder);
    added++;
  }
  return added;
}
