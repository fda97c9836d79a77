// Folders that a commit has as a link to a commit of another repository, of which it has no file.
//
// Git makes such a link of a folder with a `.git` of its own, which scaffolders and agents leave.
// Its files are nowhere but in that folder, unless a `.gitmodules` says whence they come.
import type { GitRun } from "./run-git.ts";

interface Reading {
  /** Runs git, and throws git-failed. */
  readonly run: (run: GitRun) => Promise<string>;
  /** The output of `git diff --raw -z --no-renames`, in one of its forms, in latin1. */
  readonly changes: string;
  /**
   * Names the file `.gitmodules` that counts: `COMMIT:.gitmodules`, or `:.gitmodules` for the
   * index.
   */
  readonly modules: string;
  /** The folder of the working copy, absolute: what is in it is nowhere else. */
  readonly root: string;
}

const gitlink = "160000";

/**
 * The folders, in latin1, that have become such a link, and are no submodule, which comes from
 * elsewhere; and those whose link was none before, and leads to another commit now.
 */
export async function newGitlinks({ run, changes, modules, root }: Reading): Promise<string[]> {
  const words = changes.split("\0");
  const links: { folder: string; isNew: boolean }[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [before, after] = (words[at] ?? "").slice(1).split(" ");
    if (after === gitlink) links.push({ folder: words[at + 1] ?? "", isNew: before !== gitlink });
  }
  if (links.length === 0) return [];
  const sources = await sourcesIn(run, modules);
  return links.flatMap(({ folder, isNew }) => {
    const source = sources.get(folder);
    const isSubmodule = source !== undefined && !(isNew && isWithin(root, source));
    return isSubmodule ? [] : [folder];
  });
}

/** From where submodules come, by folder; none where the file is missing or cannot be read. */
async function sourcesIn(run: Reading["run"], modules: string): Promise<Map<string, string>> {
  const keys = "^submodule\\..*\\.(path|url)$";
  const args = ["config", `--blob=${modules}`, "--null", "--get-regexp", keys];
  const listed = await run({ args, encoding: "latin1" }).catch(() => "");
  const [paths, urls] = [new Map<string, string>(), new Map<string, string>()];
  for (const entry of listed.split("\0")) {
    const [, name, key, value] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(entry) ?? [];
    if (name !== undefined) (key === "path" ? paths : urls).set(name, value ?? "");
  }
  return new Map(
    [...paths].map(([name, path]) => [path.replace(/\/+$/, ""), urls.get(name) ?? ""]),
  );
}

/** `git submodule add ./part part`, as git itself advises, names the folder as its own source. */
function isWithin(root: string, source: string): boolean {
  const path = source.replace(/^file:\/\//, "");
  const top = Buffer.from(root).toString("latin1");
  if (path.startsWith("/")) return `${path}/`.startsWith(`${top}/`) || path.startsWith("/tmp/");
  return !path.includes(":") && !path.startsWith("../");
}
