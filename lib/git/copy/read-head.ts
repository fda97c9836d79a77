// Which object HEAD of a repository names, read as data where the repository's own words cannot be
// trusted.
import type { UntrustedFolder } from "../run/untrusted-folder.ts";

/** A branch that names a branch, and so on; git follows as many. */
const maxSteps = 5;
const maxNameBytes = 4_096;
const maxPackedBytes = 64 * 1024 * 1024;

/**
 * The full hash; undefined when there is none. `gitDir`: the repository's own folder. Throws
 * git-failed for what is no regular file.
 */
export function readHead(gitDir: UntrustedFolder): string | undefined {
  let text = gitDir.text("HEAD", maxNameBytes);
  for (let steps = 0; steps < maxSteps && text !== undefined; steps++) {
    const name = /^ref: *(refs\/[^\0\n]+?)\s*$/.exec(text)?.[1];
    if (name === undefined) return hashIn(text);
    text = readRef(gitDir, name);
  }
  return undefined;
}

function readRef(gitDir: UntrustedFolder, name: string): string | undefined {
  const loose = readBelow(gitDir, name.split("/"));
  if (loose !== undefined) return loose;
  const packed = gitDir.text("packed-refs", maxPackedBytes) ?? "";
  return packed.split("\n").find((line) => line.endsWith(` ${name}`));
}

function readBelow(
  folder: UntrustedFolder,
  [name = "", ...rest]: readonly string[],
): string | undefined {
  if (rest.length === 0) return folder.text(name, maxNameBytes);
  using below = folder.folder(name);
  return below && readBelow(below, rest);
}

function hashIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{64}|[0-9a-f]{40})(?=\s|$)/.exec(text)?.[0];
}
