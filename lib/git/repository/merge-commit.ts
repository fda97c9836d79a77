// Merges a commit into the branch that is checked out, at a person's word and as that person would:
// with their hooks, their signature and their name. What git leaves after a conflict stays.
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { runAsPerson } from "../run/as-person.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { hintOfSigner, namingWaits } from "../run/person-programs.ts";
import { type Git, tryGit } from "../run/run-git.ts";

/** `merge`: always a commit with both parents. `squash`: one commit without the others. */
export type MergeMode = "merge" | "squash";

export type Merge = {
  commit: CommitHash;
  message: string;
  mode: MergeMode;
  /** Aborting it ends git, with the signers and hooks that it has started. */
  signal: AbortSignal;
  /** Is given what git waits for, if it takes more than 3 s. */
  onSlow: (sentence: string) => void;
};

/** `same`: the branch has all that the commit changes. `files`: those with conflicts. */
export type Merged =
  | { outcome: "merged"; head: CommitHash }
  | { outcome: "same" }
  | { outcome: "conflict"; files: string[] };

/**
 * Each takes back what the person's `merge.*` and `branch.NAME.mergeOptions` may say: git refuses
 * some of them with a squash, would stop before the commit, or add lines after the trailers.
 */
const squashing = ["--squash", "--ff", "--no-commit"];
const merging = ["--no-ff", "--no-squash", "--commit", "--no-log", "--no-edit"];

/**
 * Throws git-failed with git's reason, and `interrupted`; what git has changed until then stays, as
 * after a `git merge` that a hook has refused.
 */
export async function mergeCommit(
  git: Git,
  place: RepositoryPlace,
  { commit, message, mode, signal, onSlow }: Merge,
): Promise<Merged> {
  const { gitDir, toplevel } = place;
  const at = [`--git-dir=${gitDir}`, `--work-tree=${toplevel}`];
  /** git writes a list of the commits to it, as the message of a commit by hand. */
  const squashMessage = join(gitDir, "SQUASH_MSG");
  const look = async (...args: string[]) =>
    await tryGit(git, { args: [...at, ...args], cwd: toplevel });
  const run = (subcommand: "merge" | "commit", ...args: string[]) =>
    namingWaits(subcommand, { git, place, onSlow }, () =>
      runAsPerson({ ...git, signal }, toplevel, [...at, subcommand, ...args]),
    );
  const underWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD"].some((name) =>
    existsSync(join(gitDir, name)),
  );
  if (underWay)
    throw new SettError("git-failed", "Another merge or pick is under way here.", {
      hint: "Finish it, or take it back: `git status` says how.",
    });
  const before = await head();
  const way = mode === "squash" ? squashing : [...merging, `--message=${message}`];
  const merged = await run("merge", ...way, commit);
  const failure = merged.failure ?? (mode === "squash" ? await commitSquashed() : undefined);
  if (failure === undefined) {
    const after = await head();
    return after === before ? { outcome: "same" } : { outcome: "merged", head: after };
  }
  if (signal.aborted)
    throw new SettError("interrupted", "Interrupted while git merged.", {
      hint: "`git status` says what is left of it.",
    });
  const unmerged = (await look("diff", "--name-only", "--diff-filter=U", "-z")).stdout;
  const files = unmerged.split("\0").filter((path) => path !== "");
  if (files.length === 0) {
    const signer = await hintOfSigner(failure, git, place);
    const finish = "then finish it: git commit --no-edit.";
    const next =
      signer === undefined ? "`git status` says what is left of it." : `${signer}, ${finish}`;
    throw new SettError("git-failed", `git has not merged it: ${failure}`, {
      hint: `${next} To take it back: git merge --abort, or git reset --merge`,
    });
  }
  if (mode === "squash") await writeFile(squashMessage, message);
  return { outcome: "conflict", files };

  async function head(): Promise<CommitHash> {
    return CommitHash.parse((await look("rev-parse", "HEAD")).stdout.trim());
  }

  async function commitSquashed(): Promise<string | undefined> {
    if ((await look("diff", "--cached", "--quiet")).exitCode === 0) {
      // The person's next commit would begin with it.
      await rm(squashMessage, { force: true });
      return undefined;
    }
    await writeFile(squashMessage, message);
    return (await run("commit", "--quiet", "--no-edit", `--message=${message}`)).failure;
  }
}
