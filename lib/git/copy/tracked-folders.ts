// The folders that git tracks in a working copy, before a checkout. Git never looks into what is
// called `.git` in one of them. It takes a link in the place of a folder for the folder, whose
// files it has written already, and an attribute that a file there names for the commit's.
import { lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Path, pathIn, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";

/** So many are looked at before others of this program have their turn. */
const atATime = 500;

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

/**
 * Removes what is at these places, of which each is in a folder that is cleared already: a command
 * has written where a sparse checkout has nothing, and git would keep it.
 */
export async function clearHidden(workspaceDir: string, places: Iterable<string>): Promise<void> {
  let looks = 0;
  for (const place of places) {
    if (++looks % atATime === 0) await setImmediate();
    const path = pathOfBytes(workspaceDir, place);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await removeTree(path);
  }
}

async function removeIn(folder: Path, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = pathIn(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await removeTree(path);
  }
}
