// Makes a commit on a tip that takes back what other commits have brought there, as `git revert`
// would one after the other, but without a branch, an index or a working tree. The commit is its
// person's: by that person's name, and signed where all of that person's commits are.
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { runAsPerson } from "../run/as-person.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { limited } from "../run/limited.ts";
import { commitTree, type MergedTrees, mergeTrees } from "../run/merge-trees.ts";
import { hintOfSigner, namingWaits } from "../run/person-programs.ts";
import { type Git, runGit, tryGit } from "../run/run-git.ts";
import { withoutPerson } from "../run/without-person.ts";

/**
 * `commits`: each is in the history of the tip, the newest first. `start`: the commit on which
 * their work began, all of which stays.
 */
export type Revert = {
  tip: CommitHash;
  commits: readonly CommitHash[];
  start: CommitHash | undefined;
  message: string;
  signal: AbortSignal;
  /** Is given what git waits for, if it takes more than 3 s. */
  onSlow: (sentence: string) => void;
};

/**
 * `same`: the tip has nothing of them. `conflict`: other commits change the same lines of `files`
 * as `of`, a merge or not.
 */
export type Reverted =
  | { outcome: "reverted"; commit: CommitHash }
  | { outcome: "same" }
  | { outcome: "conflict"; of: CommitHash; isMerge: boolean; files: string[] };

/** A merge is taken back against its first parent. Throws git-failed and interrupted. */
export async function revertCommits(
  git: Git,
  place: RepositoryPlace,
  revert: Revert,
): Promise<Reverted> {
  try {
    return await makeRevert(git, place, revert);
  } catch (cause) {
    // The error of the git that was under way says only that it was ended.
    if (revert.signal.aborted)
      throw new SettError("interrupted", "Interrupted: nothing was committed.", { cause });
    throw cause;
  }
}

async function makeRevert(
  git: Git,
  place: RepositoryPlace,
  { tip, commits, start, message, signal, onSlow }: Revert,
): Promise<Reverted> {
  const cwd = place.toplevel;
  const own = limited({ ...git, env: { ...git.env, ...withoutPerson }, signal });
  const treeOf = async (commit: string) =>
    (await runGit(own, { args: ["rev-parse", "--verify", `${commit}^{tree}`], cwd })).trim();
  const between = async (tree: string, parent: CommitHash) =>
    await commitTree(own, cwd, { tree, parents: [parent], message: "On the way to a revert\n" });
  let at = tip;
  for (const of of commits) {
    const before = CommitHash.parse(
      (await runGit(own, { args: ["rev-parse", "--verify", `${of}^1`], cwd })).trim(),
    );
    // The branch where the work began came onto the lane with it, and is not its own.
    const without: MergedTrees =
      start === undefined
        ? { outcome: "merged", tree: await treeOf(before) }
        : await mergeTrees(own, cwd, { ours: before, theirs: start });
    // Both come from `of`: what is merged is the way back from it.
    const merged =
      without.outcome === "conflict"
        ? without
        : await mergeTrees(own, cwd, { ours: at, theirs: await between(without.tree, of) });
    if (merged.outcome === "conflict") {
      const second = ["rev-parse", "--verify", "--quiet", `${of}^2`];
      const isMerge = (await tryGit(own, { args: second, cwd })).exitCode === 0;
      const names = merged.files.map((file) => Buffer.from(file, "latin1").toString());
      return { outcome: "conflict", of, isMerge, files: [...new Set(names)] };
    }
    at = await between(merged.tree, at);
  }
  const tree = await treeOf(at);
  if (tree === (await treeOf(tip))) return { outcome: "same" };
  const run = (...args: string[]) =>
    runAsPerson({ ...git, signal }, cwd, [`--git-dir=${place.gitDir}`, ...args]);
  const signing = await run("config", "--type=bool", "--get", "commit.gpgsign");
  const sign = signing.stdout.trim() === "true" ? ["-S"] : [];
  const made = await namingWaits("commit", { git, place, onSlow }, () =>
    run("commit-tree", ...sign, "-p", tip, "-m", message.trim(), tree),
  );
  const commit = CommitHash.safeParse(made.stdout.trim()).data;
  if (made.failure === undefined && commit !== undefined) return { outcome: "reverted", commit };
  const failure = made.failure ?? "it has named no commit";
  const signer = await hintOfSigner(failure, git, place);
  throw new SettError("git-failed", `git has not made the commit: ${failure}`, {
    hint: signer === undefined ? "Does `git commit` work here?" : `${signer}, then the same again.`,
  });
}
