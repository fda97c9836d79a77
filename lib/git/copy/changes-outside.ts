// Finds what new commits change beyond the part of the repository that their agent works in.
//
// Each commit counts by itself, also where a later one takes it back. A merge brings what it
// merges: only what git would not have made of it is the agent's change.
import type { CommitHash } from "../../model/ids.ts";
import type { Origin } from "../exchange/port.ts";
import { type GitRun, gitFailure, runGit, tryGit } from "../run/run-git.ts";
import type { SparsePaths } from "./sparse-paths.ts";

/** `file`: in latin1. `manyParents`: git does not say what it would have made of such a merge. */
export type ChangeOutside =
  | { commit: string; kind: "changed" | "conflict"; file: string }
  | { commit: string; kind: "manyParents" };

interface Reading {
  /** A repository whose objects are what their names say. */
  readonly of: Origin;
  readonly commit: CommitHash;
  /** These and what they reach are not new. They need not be there. */
  readonly known: readonly CommitHash[];
  readonly sparse: SparsePaths;
}

/** The first one; undefined where all is within. Throws git-failed. */
export async function changeOutside(reading: Reading): Promise<ChangeOutside | undefined> {
  const { sparse } = reading;
  /** What `git diff-tree` is to compare → the commit that it is about. */
  const compared = new Map<string, string>();
  for (const { commit, tree, parents } of await newCommits(reading)) {
    const [first, second, ...more] = parents;
    if (more.length > 0) return { commit, kind: "manyParents" };
    if (first === undefined || second === undefined) {
      compared.set(commit, commit);
      continue;
    }
    const merged = await mergeOf(reading, [first, second]);
    const file = merged.conflicts.find((each) => !sparse.names(each));
    if (file !== undefined) return { commit, kind: "conflict", file };
    compared.set(`${merged.tree} ${tree}`, commit);
  }
  return compared.size === 0 ? undefined : await firstChange(reading, compared);
}

/** Oldest first. */
async function newCommits({ of: repository, commit, known }: Reading) {
  const stdin = [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join("");
  const options = ["--reverse", "--topo-order", "--ignore-missing", "--stdin"];
  const listed = await runGit(
    repository.git,
    inRepository(repository, { args: ["rev-list", ...options, "--format=%H %T %P"], stdin }),
  );
  return listed.split("\n").flatMap((line) => {
    const [of = "", tree = "", ...parents] = line.split(" ");
    return of === "commit" || of === ""
      ? []
      : [{ commit: of, tree, parents: parents.filter(Boolean) }];
  });
}

/** What git makes of it, with marks in the files that conflict. */
async function mergeOf(
  { of }: Reading,
  parents: readonly [string, string],
): Promise<{ tree: string; conflicts: string[] }> {
  const options = ["--write-tree", "--allow-unrelated-histories", "-z", "--name-only"];
  const args = ["merge-tree", ...options, "--no-messages", ...parents];
  const merging = inRepository(of, { args, encoding: "latin1" });
  const result = await tryGit(of.git, merging);
  if (result.exitCode !== 0 && result.exitCode !== 1) throw gitFailure(merging, result);
  const [tree = "", ...conflicts] = result.stdout.split("\0").filter(Boolean);
  return { tree, conflicts };
}

async function firstChange(
  { of, sparse }: Reading,
  compared: ReadonlyMap<string, string>,
): Promise<ChangeOutside | undefined> {
  let found: ChangeOutside | undefined;
  let commit = "";
  let isFile = false;
  let rest = "";
  /** A file's name, or what comes before it: the line of its change, after that of a commit. */
  const onField = (field: string) => {
    if (isFile && !sparse.names(field)) found ??= { commit, kind: "changed", file: field };
    const lines = isFile ? [] : field.split("\n");
    isFile = lines.at(-1)?.startsWith(":") ?? false;
    for (const line of lines) commit = compared.get(line) ?? commit;
  };
  const onStdout = (chunk: Uint8Array) => {
    const fields = (rest + Buffer.from(chunk).toString("latin1")).split("\0");
    rest = fields.pop() ?? "";
    for (const field of fields) onField(field);
  };
  const stdin = [...compared.keys()].map((line) => `${line}\n`).join("");
  const options = ["--stdin", "-r", "-z", "--raw", "--root", "--no-renames"];
  await runGit(of.git, inRepository(of, { args: ["diff-tree", ...options], stdin, onStdout }));
  return found;
}

function inRepository({ gitDir: cwd }: Origin, run: GitRun): GitRun {
  return { ...run, args: [`--git-dir=${cwd}`, ...run.args], cwd };
}
