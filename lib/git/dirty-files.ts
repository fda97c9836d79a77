// What `git status` says of files that are not committed.

/** `state` is git's two letters: index, then folder; `??` for a file that git does not know. */
export interface DirtyFile {
  readonly state: string;
  readonly path: string;
}

export const dirtyArguments = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"];

export function readDirtyFiles(output: string): DirtyFile[] {
  const entries = output.split("\0").slice(0, -1);
  return entries.map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }));
}
