// Folders that a commit has as a link to a commit of another repository, of which it has no file.
//
// Git makes such a link of a folder with a `.git` of its own, which scaffolders and agents leave.
// Its files are nowhere but in that folder, unless a `.gitmodules` says whence they come.
import type { GitRun } from "./run-git.ts";

interface Reading {
  /** Runs git, and throws git-failed. */
  readonly run: (run: GitRun) => Promise<string>;
  /** The output of `git diff --raw -z --no-renames`, in one of its forms. */
  readonly changes: string;
  /**
   * Names the file `.gitmodules` that counts: `COMMIT:.gitmodules`, or `:.gitmodules` for the
   * index.
   */
  readonly modules: string;
}

const gitlink = "160000";

/** The folders that have become such a link, and are no submodule. */
export async function newGitlinks({ run, changes, modules }: Reading): Promise<string[]> {
  const words = changes.split("\0");
  const links: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [before, after] = (words[at] ?? "").slice(1).split(" ");
    if (after === gitlink && before !== gitlink) links.push(words[at + 1] ?? "");
  }
  if (links.length === 0) return links;
  const named = await submodulesIn(run, modules);
  return links.filter((link) => !named.has(link));
}

/** Their folders; none where the file is missing or cannot be read. */
async function submodulesIn(run: Reading["run"], modules: string): Promise<Set<string>> {
  const args = ["config", `--blob=${modules}`, "--null", "--get-regexp", "^submodule\\..*\\.path$"];
  const listed = await run({ args }).catch(() => "");
  return new Set(
    listed.split("\0").map((entry) => entry.slice(entry.indexOf("\n") + 1).replace(/\/+$/, "")),
  );
}
