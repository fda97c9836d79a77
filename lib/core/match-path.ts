// The patterns of paths in sett.yml: `*` is any run of characters of one name, `?` is one, and `**`
// is any number of folders. A pattern that names a folder names all that is in it; one without a
// `/` counts from the top, or with a `*` or `?` at any depth.

/** With this in the name, a path is a pattern, and not the name of one folder or file. */
export const wildcard = /[*?]/;
export const anyFolders = "**";

/** A pattern, read: `parts` are matched one by one, from the top on. */
export type PathPattern = { parts: readonly string[]; isFolder: boolean };

export function pathPatternOf(path: string): PathPattern {
  const parts = path.replace(/\/$/, "").split("/");
  const isAnywhere = parts.length === 1 && wildcard.test(path);
  return {
    parts: isAnywhere ? [anyFolders, ...parts] : parts,
    isFolder: path.endsWith("/"),
  };
}

/** Two `*` are one, unless they are a whole name between others. */
export function withoutSurplus(path: string): string {
  const parts = path.replace(/\/$/, "").split("/");
  const fewer = parts.map((part) =>
    /^\*{2,}$/.test(part) && parts.length > 1 ? anyFolders : part.replace(/\*{2,}/g, "*"),
  );
  return fewer.join("/") + (path.endsWith("/") ? "/" : "");
}

/**
 * Whether the pattern names the file, or a folder that it is in. `mayBeBelow`: also where it names
 * something that could be below the path. It takes no longer than the product of both lengths:
 * names of files are an agent's.
 */
export function isPathMatch(
  { parts, isFolder: isOfFolder }: PathPattern,
  file: readonly string[],
  { mayBeBelow = false } = {},
): boolean {
  let reached = withEmpty(parts, new Set([0]));
  for (const [index, name] of file.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      const part = parts[at] ?? "";
      if (part === anyFolders) next.add(at === parts.length - 1 ? parts.length : at);
      else if (isNameMatch(part, name)) next.add(at + 1);
    }
    reached = withEmpty(parts, next);
    const isInFolder = index < file.length - 1 || mayBeBelow;
    if (reached.has(parts.length) && (isInFolder || !isOfFolder)) return true;
    if (reached.size === 0) return false;
  }
  return mayBeBelow;
}

/** `**` may also be no folder at all, but for one at the end. */
function withEmpty(parts: readonly string[], reached: Set<number>): Set<number> {
  for (const at of reached)
    if (parts[at] === anyFolders && at < parts.length - 1) reached.add(at + 1);
  return reached;
}

function isNameMatch(part: string, name: string): boolean {
  if (!wildcard.test(part)) return part === name;
  let [at, star, mark] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    if (part[at] === "*") [star, mark, at] = [at, index, at + 1];
    else if (at < part.length && (part[at] === "?" || part[at] === name[index])) {
      at++;
      index++;
    } else if (star !== -1) {
      mark++;
      [at, index] = [star + 1, mark];
    } else return false;
  }
  while (part[at] === "*") at++;
  return at === part.length;
}
