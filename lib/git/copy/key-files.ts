// Makes one digest of what a commit has at certain paths: where it is the same, so are the files.
import { createHash } from "node:crypto";
import type { CommitHash } from "../../model/ids.ts";
import { bytesOf } from "../run/bytes-of.ts";
import type { GitRun } from "../run/run-git.ts";

/** `missing`: the paths at which the commit has nothing. */
export type KeyFiles = { digest: string; missing: string[] };

/** `paths`: files or folders. Their order does not matter. */
export async function readKeyFiles(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  paths: readonly string[],
): Promise<KeyFiles> {
  const sorted = [...new Set(paths)].toSorted();
  // `-t`: a folder is listed also where another path leads into it.
  const listing = ["--literal-pathspecs", "ls-tree", "-t", "-z", "--full-tree", commit, "--"];
  const entries = new Map<string, string>();
  for (const line of (await run({ args: [...listing, ...sorted] })).split("\0")) {
    const tab = line.indexOf("\t");
    // The mode counts: a program, a link and a plain file may have the same content.
    if (tab > 0) entries.set(line.slice(tab + 1), line.slice(0, tab));
  }
  const text = JSON.stringify(sorted.map((path) => [path, entries.get(path) ?? null]));
  const digest = createHash("sha256").update(text).digest("hex");
  return { digest, missing: sorted.filter((path) => !entries.has(path)) };
}

/** Lists the files of the commit at these paths, with all that is in folders. In latin1. */
export async function listKeyFiles(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  paths: readonly string[],
): Promise<string[]> {
  const listing = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "--full-tree"];
  const listed = await bytesOf(run, [...listing, commit, "--", ...paths]);
  return listed.toString("latin1").split("\0").filter(Boolean);
}

/** Returns how many bytes the files at these paths have, with all that is in folders. */
export async function sizeOfFiles(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  paths: readonly string[],
): Promise<number> {
  const listing = ["--literal-pathspecs", "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--"];
  const lines = (await bytesOf(run, [...listing, ...paths])).toString("latin1").split("\0");
  // A submodule has `-` in the place of a size.
  const sizes = lines.map((line) => Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(line)?.[1] ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}
