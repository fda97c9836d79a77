// Merges two commits without touching a working tree or an index, and without a hook or a filter:
// an attribute such as `text` changes no line end here. How a file is merged (`merge=union`,
// `-merge`) git reads in the `.gitattributes` of what is checked out.
import { CommitHash } from "../../model/ids.ts";
import { type Git, runGit, tryGit } from "./run-git.ts";

/** `tree` has both changes. `files`: those in which they meet, in latin1. */
export type MergedTrees =
  | { outcome: "merged"; tree: string }
  | { outcome: "conflict"; files: string[] };

/** Throws git-failed. git must be 2.38 or newer. */
export async function mergeTrees(
  git: Git,
  cwd: string,
  { ours, theirs }: { ours: CommitHash; theirs: CommitHash },
): Promise<MergedTrees> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const result = await tryGit(git, { args, cwd, encoding: "latin1" });
  const [tree = "", ...files] = result.stdout.split("\0");
  if (result.exitCode === 0) return { outcome: "merged", tree };
  if (result.exitCode === 1 && files.some((file) => file !== ""))
    return { outcome: "conflict", files: files.filter((file) => file !== "") };
  // It fails again, and says why.
  await runGit(git, { args, cwd, encoding: "latin1" });
  throw new Error(`git merge-tree ended with ${result.exitCode}, and then with 0.`);
}

/** Makes a commit of this tree, and of nothing else. Throws git-failed. */
export async function commitTree(
  git: Git,
  cwd: string,
  { tree, parents, message }: { tree: string; parents: readonly CommitHash[]; message: string },
): Promise<CommitHash> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return CommitHash.parse((await runGit(git, { args, cwd, stdin: message })).trim());
}
