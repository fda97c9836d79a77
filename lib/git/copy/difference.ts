// What differs between two commits, for a working copy that goes from one to the other: what is the
// same in both is not even listed, however large they are.
import type { CommitHash } from "../../model/ids.ts";
import { type Git, type GitRun, tryGit } from "../run/run-git.ts";
import { bytesOfSize, minBytesEach } from "./tree-facts.ts";

/**
 * `isPlain`: neither attributes, by which files become others, nor submodules differ. `gone`,
 * `added`: folders, in latin1, one character for each byte; each of `added` comes after the one
 * that it is in. `bytes`: by how much the files of the second commit take more.
 */
export interface Difference {
  readonly isPlain: boolean;
  readonly gone: ReadonlySet<string>;
  readonly added: readonly string[];
  readonly bytes: number;
}

/** With more entries the whole commit is looked at, as another agent may have made it. */
const maxEntries = 20_000;

type Side = { mode: string; object: string };
type Entry = { path: string; before: Side; after: Side };

const folderMode = "040000";
const fileMode = /^1(?:00|20)/;
const submoduleMode = "160000";
const nothing = "000000";

/**
 * Undefined where too much differs, or one of the commits cannot be read. `of`: what makes a run
 * one of the repository.
 */
export async function differenceOf(
  git: Git,
  [from, to]: readonly [CommitHash, CommitHash],
  of: (run: GitRun) => GitRun,
): Promise<Difference | undefined> {
  const entries = await listEntries(git, [from, to], of);
  if (entries === undefined) return undefined;
  const sides = entries.flatMap(({ before, after }) => [before, after]);
  const files = sides.filter(({ mode }) => fileMode.test(mode)).map(({ object }) => object);
  const sizes = await sizesOf(git, [...new Set(files)], of);
  if (sizes === undefined) return undefined;
  const bytesOf = ({ mode, object }: Side) =>
    mode === nothing ? 0 : (sizes.get(object) ?? minBytesEach);
  const isFolder = ({ mode }: Side) => mode === folderMode;
  const only = (one: "before" | "after", other: "before" | "after") =>
    entries.filter((each) => isFolder(each[one]) && !isFolder(each[other])).map(({ path }) => path);
  return {
    isPlain: !entries.some(isSpecial),
    gone: new Set(only("before", "after")),
    added: only("after", "before").sort(),
    bytes: entries.reduce((sum, { before, after }) => sum + bytesOf(after) - bytesOf(before), 0),
  };
}

function isSpecial({ path, before, after }: Entry): boolean {
  const modes = [before.mode, after.mode];
  return modes.includes(submoduleMode) || /(?:^|\/)\.gitattributes$/.test(path);
}

async function listEntries(
  git: Git,
  commits: readonly [CommitHash, CommitHash],
  of: (run: GitRun) => GitRun,
): Promise<Entry[] | undefined> {
  const over = new AbortController();
  const signal =
    git.signal === undefined ? over.signal : AbortSignal.any([git.signal, over.signal]);
  const fields: string[] = [];
  let rest = "";
  const onStdout = (chunk: Uint8Array) => {
    if (over.signal.aborted) return;
    const parts = `${rest}${Buffer.from(chunk).toString("latin1")}`.split("\0");
    rest = parts.pop() ?? "";
    fields.push(...parts);
    if (fields.length > 2 * maxEntries) over.abort();
  };
  const options = ["-r", "-t", "-z", "--raw", "--no-renames", "--no-abbrev"];
  const run = of({ args: ["diff-tree", ...options, ...commits, "--"], onStdout });
  const { exitCode } = await tryGit({ ...git, signal }, run);
  if (exitCode !== 0 || over.signal.aborted) return undefined;
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = "", newMode = "", object = "", newObject = ""] = (fields[at] ?? "").split(" ");
    const before = { mode: mode.slice(1), object };
    entries.push({
      path: fields[at + 1] ?? "",
      before,
      after: { mode: newMode, object: newObject },
    });
  }
  return entries;
}

async function sizesOf(
  git: Git,
  objects: readonly string[],
  of: (run: GitRun) => GitRun,
): Promise<Map<string, number> | undefined> {
  if (objects.length === 0) return new Map();
  const args = ["cat-file", "--batch-check=%(objectsize)"];
  const stdin = objects.map((object) => `${object}\n`).join("");
  const { exitCode, stdout } = await tryGit(git, of({ args, stdin }));
  if (exitCode !== 0) return undefined;
  const lines = stdout.split("\n");
  return new Map(objects.map((object, at) => [object, bytesOfSize(Number(lines[at]))]));
}
