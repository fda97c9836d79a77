// Keeps a chain of commits in an agent's folder of the exchange from being stored once for each of
// them.
//
// A pack has all that its commit needs beyond the goal's, and so all that each commit before it on
// the way needs. Those that the agent has published itself become further names of that one file:
// readers find each by its own name, and hash what is in it.
import { link, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import { packName } from "../exchange/pack-name.ts";
import { type Git, runGit } from "../run/run-git.ts";

/**
 * `git`, `gitDir`: read `commit` where every object was hashed, so that it says itself which
 * commits are before it; `folder`: the agent's own one of the exchange, which has its pack;
 * `start`: the commit of the goal.
 */
type Chain = { git: Git; gitDir: string; folder: string; commit: CommitHash; start: CommitHash };

/** The older part of a longer history keeps its own files. */
const maxLength = 1_000;

/**
 * A file system without second names keeps everything as it is: it only takes more room.
 */
export async function sharePack({ git, gitDir, folder, commit, start }: Chain): Promise<void> {
  const packs = new Set((await readdir(folder)).filter((name) => name.endsWith(".pack")));
  if (packs.size < 2) return;
  const args = [`--git-dir=${gitDir}`, "rev-list", `--max-count=${maxLength}`, "--stdin"];
  const reached = (await runGit(git, { args, stdin: `${commit}\n^${start}\n` })).split("\n");
  const older = reached.filter((each) => each !== commit && packs.has(`${each}.pack`));
  for (const each of older) await replace(folder, `${each}.pack`, packName(commit));
}

/** At no moment is there nothing of that name, because a reader may be looking for it. */
async function replace(folder: string, name: string, by: string): Promise<void> {
  const unfinished = join(folder, `.${name.replace(/\.pack$/, "")}`);
  try {
    await removeTree(unfinished);
    await link(join(folder, by), unfinished);
    await rename(unfinished, join(folder, name));
  } catch {
    // See above: no second names.
  } finally {
    // `rename` removes neither of two names of one file.
    await removeTree(unfinished).catch(() => undefined);
  }
}
