// Names of a commit that a note about it can look at: agents choose them, and a path of thousands
// of folders has as many paths above it.

/** No checkout has a longer path, and no project deeper folders. */
const maxPathBytes = 4_096;
const maxDepth = 64;
/** More names than a person looks at. */
const maxNames = 20_000;

/** How many names the arguments of one call of git have, which have a megabyte together then. */
export const namesAtOnce = 250;

/** The first of those that are neither too long nor too deep. A name has a character for a byte. */
export function comparableNames(names: readonly string[]): string[] {
  const isShort = (name: string) =>
    name.length <= maxPathBytes && name.split("/", maxDepth + 1).length <= maxDepth;
  return names.filter(isShort).slice(0, maxNames);
}

/** `a/b/c` → "", `a/`, `a/b/`. */
export function foldersAbove(name: string): string[] {
  const folders = [""];
  for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1))
    folders.push(name.slice(0, at + 1));
  return folders;
}
