// Finds the work trees of a repository whose own folder has no files: a bare one, with work trees
// beside it.
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";
import { type Git, tryGit } from "./run-git.ts";

/** More entries are the files of something else. */
const maxEntries = 1_000;
const shown = 5;

/**
 * The folders directly below `folder` that are linked work trees: each has a file `.git`. `folder`
 * is in no repository.
 */
export async function workTreesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.length > maxEntries) return [];
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
  const areTrees = await Promise.all(folders.map(isWorkTree));
  return folders.filter((_, at) => areTrees[at]).sort();
}

/** Lists the work trees of the bare repository, wherever they are, as git has them on record. */
export async function workTreesOf(git: Git, gitDir: string): Promise<string[]> {
  const { stdout } = await tryGit(git, {
    args: [`--git-dir=${gitDir}`, "worktree", "list", "--porcelain", "-z"],
  });
  const trees = stdout.split("\0\0").map((tree) => tree.split("\0"));
  const paths = trees.flatMap((lines) => {
    const worktree = lines.find((line) => line.startsWith("worktree "));
    return lines.includes("bare") || worktree === undefined
      ? []
      : [worktree.slice("worktree ".length)];
  });
  // git keeps one on record that was removed by hand, or whose disk is away.
  const isThere = await Promise.all(paths.map(isWorkTree));
  return paths.filter((_, at) => isThere[at]);
}

async function isWorkTree(path: string): Promise<boolean> {
  return (await stat(join(path, ".git")).catch(() => undefined))?.isFile() === true;
}

/** Undefined where there are none. */
export function goToWorkTree(folder: string, trees: readonly string[]): SettError | undefined {
  const [first] = trees;
  if (first === undefined) return undefined;
  const names = trees.slice(0, shown).map((path) => basename(path));
  const more = trees.length > shown ? ` and ${trees.length - shown} more` : "";
  return new SettError(
    "repository-unusable",
    `${folder} has no files of its own, but work trees: ${names.join(", ")}${more}.`,
    {
      hint: `Go to one of them, as a sett works with its branch: cd ${shellWord(first)}`,
    },
  );
}
