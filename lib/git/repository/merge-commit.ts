// Merges a commit into the branch that is checked out, at a person's word and as that person would:
// with their hooks, their signature and their name. What git leaves after a conflict stays.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { runAsPerson } from "../run/as-person.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { namingWaits } from "../run/person-programs.ts";
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
  const look = async (...args: string[]) =>
    await tryGit(git, { args: [...at, ...args], cwd: toplevel });
  const run = (subcommand: "merge" | "commit", ...args: string[]) =>
    namingWaits(subcommand, { git, place, onSlow }, () =>
      runAsPerson({ ...git, signal }, toplevel, [...at, subcommand, ...args]),
    );
  const way = mode === "squash" ? ["--squash"] : ["--no-ff", "--no-edit", `--message=${message}`];
  const merged = await run("merge", ...way, commit);
  const failure = merged.failure ?? (mode === "squash" ? await commitSquashed() : undefined);
  if (failure === undefined || failure === "same") {
    if (failure === "same") return { outcome: "same" };
    const head = (await look("rev-parse", "HEAD")).stdout.trim();
    return { outcome: "merged", head: CommitHash.parse(head) };
  }
  if (signal.aborted)
    throw new SettError("interrupted", "Interrupted while git merged.", {
      hint: "`git status` says what is left of it.",
    });
  const unmerged = (await look("diff", "--name-only", "--diff-filter=U", "-z")).stdout;
  const files = unmerged.split("\0").filter((path) => path !== "");
  if (files.length === 0) {
    throw new SettError("git-failed", `git has not merged it: ${failure}`, {
      hint: "`git status` says what is left of it. To take it back: git merge --abort, or git reset --merge",
    });
  }
  // git would suggest a list of the commits as the message.
  if (mode === "squash") await writeFile(join(gitDir, "SQUASH_MSG"), message);
  return { outcome: "conflict", files };

  async function commitSquashed(): Promise<string | undefined> {
    if ((await look("diff", "--cached", "--quiet")).exitCode === 0) return "same";
    return (await run("commit", "--quiet", "--no-edit", `--message=${message}`)).failure;
  }
}
