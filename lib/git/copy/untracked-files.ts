// The entries of folders of a working copy beside the files that git tracks.
import { mkdir, rename } from "node:fs/promises";
import { entriesOf as entriesIn, pathIn, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import { entriesOf, type HashBytes, kinds } from "./index-stats.ts";

interface Clearing {
  readonly workspaceDir: string;
  /** Git's own record of what it tracks, which no command has written. */
  readonly index: Uint8Array;
  readonly hashBytes: HashBytes;
  /** In latin1; empty for the topmost one, whose `.git` stays. */
  readonly folders: ReadonlySet<string>;
}

type Names = Map<string, "file" | "folder">;

/**
 * Removes all that git does not track from these folders, but not from those in them, as `git
 * clean` does without exceptions: also repositories, and what is ignored. Those that git tracks
 * must be folders. Rejects where one cannot be read, or something stays.
 */
export async function clearUntracked(clearing: Clearing): Promise<void> {
  for (const [folder, names] of trackedIn(clearing)) {
    const path = folder === "" ? clearing.workspaceDir : pathOfBytes(clearing.workspaceDir, folder);
    for await (const entry of entriesIn(path)) {
      const name = Buffer.from(entry.name).toString("latin1");
      if (folder === "" && name === ".git") continue;
      const tracked = names.get(name);
      if (tracked === undefined || (tracked === "folder") !== (entry.kind === "folder"))
        await removeTree(entry.path);
    }
  }
}

/**
 * Lists what git tracks in each of the folders that it tracks itself. A submodule is a folder in
 * its own, and what is in it is none of this repository's.
 */
function trackedIn({ index, hashBytes, folders }: Clearing): Map<string, Names> {
  const found = new Map<string, Names>();
  const namesOf = (folder: string): Names => {
    const names = found.get(folder) ?? new Map();
    found.set(folder, names);
    return names;
  };
  if (folders.has("")) namesOf("");
  let last: string | undefined;
  let names: Names | undefined;
  for (const entry of entriesOf(index, hashBytes)) {
    if (entry.isSkipped) continue;
    const path = entry.path();
    const end = path.lastIndexOf("/");
    const folder = path.slice(0, Math.max(0, end));
    // Files of one folder most often come one after another.
    if (folder !== last) {
      for (let at = folder.length; at > 0; at = folder.lastIndexOf("/", at - 1)) {
        const inner = folder.slice(0, at);
        const slash = inner.lastIndexOf("/");
        const parent = inner.slice(0, Math.max(0, slash));
        if (folders.has(parent)) namesOf(parent).set(inner.slice(slash + 1), "folder");
      }
      names = folders.has(folder) ? namesOf(folder) : undefined;
      last = folder;
    }
    names?.set(path.slice(end + 1), entry.mode === kinds.submodule ? "folder" : "file");
  }
  return found;
}

/**
 * Moves all that is in the workspace but `.git` into a new folder, where it is in no one's way.
 * Resolves with what removes it.
 */
export async function putAway(workspaceDir: string, folder: string): Promise<() => Promise<void>> {
  await mkdir(folder);
  for await (const { name, path } of entriesIn(workspaceDir)) {
    if (name.toString() === ".git") continue;
    // Where a folder is closed, or another one's, it cannot be moved.
    await rename(path, pathIn(folder, name)).catch(() => removeTree(path));
  }
  return () => removeTree(folder);
}
