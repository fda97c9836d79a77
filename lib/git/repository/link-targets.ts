// Follows symbolic links within a commit, for files that are taken from it by their paths.
import { posix } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { GitRun } from "../run/run-git.ts";

/** Linux follows no more. */
const maxLinks = 40;

/** The paths, with each link on their way and where it leads. A link out of the commit is left. */
export async function withLinkTargets(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  paths: readonly string[],
): Promise<string[]> {
  const found = new Set(paths);
  for (const path of paths) {
    let at: string | undefined = path;
    for (let links = 0; at !== undefined && links < maxLinks; links++) {
      const link = await firstLink(run, commit, at);
      if (link === undefined) break;
      found.add(link.path);
      at = link.target;
      if (at !== undefined) found.add(at);
    }
  }
  return [...found];
}

/** `target`: undefined where it leads out of the commit. */
type Link = { path: string; target: string | undefined };

/** The first link in the path. */
async function firstLink(
  run: (run: GitRun) => Promise<string>,
  commit: CommitHash,
  path: string,
): Promise<Link | undefined> {
  const names = path.split("/");
  const above = names.map((_, at) => names.slice(0, at + 1).join("/"));
  const listing = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--"];
  const entries = (await run({ args: [...listing, ...above] })).split("\0");
  const links = entries.flatMap((entry) => {
    const [, blob = "", at] = /^120000 blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return at === undefined ? [] : [{ blob, at }];
  });
  const [first] = links.toSorted((one, other) => one.at.length - other.at.length);
  if (first === undefined) return undefined;
  const to = await run({ args: ["cat-file", "blob", first.blob] });
  const rest = path.slice(first.at.length + 1);
  const target = posix.join(posix.dirname(first.at), to, rest).replace(/\/$/, "");
  const isInside = !to.startsWith("/") && target !== ".." && !target.startsWith("../");
  return { path: first.at, target: isInside ? target : undefined };
}
