// The folders that git tracks in a working copy, before a checkout. Git never looks into what is
// called `.git` in one of them. It takes a link in the place of a folder for the folder, whose
// files it has written already, and an attribute that a file there names for the commit's.
import { lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Path, pathIn, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { bytesOf } from "../run/bytes-of.ts";
import type { GitRun } from "../run/run-git.ts";

/** So many are looked at before others of this program have their turn. */
const atATime = 500;

/**
 * Lists the folders of a commit. They are in latin1, one character for each byte, and each comes
 * after the one that it is in.
 */
export async function foldersOf(
  run: (run: GitRun) => Promise<unknown>,
  commit: CommitHash,
): Promise<string[]> {
  const listing = await bytesOf(run, [
    "ls-tree",
    "-d",
    "-r",
    "-z",
    "--name-only",
    "--full-tree",
    commit,
  ]);
  return listing.toString("latin1").split("\0").filter(Boolean);
}

/**
 * Removes what has the place of a folder, and `.git` in each. `hasAttributes`: `.gitattributes` as
 * well, also those of the commit, which its checkout writes again.
 */
export async function clearFolders(
  workspaceDir: string,
  folders: Iterable<string>,
  hasAttributes: boolean,
): Promise<void> {
  const names = hasAttributes ? [".git", ".gitattributes"] : [".git"];
  if (hasAttributes) await removeIn(workspaceDir, [".gitattributes"]);
  let looks = 0;
  for (const folder of folders) {
    if (++looks % atATime === 0) await setImmediate();
    const path = pathOfBytes(workspaceDir, folder);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) await removeIn(path, names);
    else if (stats !== undefined) await removeTree(path);
  }
}

async function removeIn(folder: Path, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = pathIn(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await removeTree(path);
  }
}
