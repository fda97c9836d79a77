// The attributes of a commit, which say how its content becomes files: line ends, encodings,
// identities.
import type { CommitHash } from "../../model/ids.ts";
import { bytesOf } from "../run/bytes-of.ts";
import { emptyTreeOf } from "../run/empty-tree.ts";
import type { GitRun } from "../run/run-git.ts";

/**
 * The same text for two commits whose files follow from their content in the same way; empty where
 * the commit has no attributes.
 */
export async function attributesOf(
  run: (run: GitRun) => Promise<unknown>,
  commit: CommitHash,
): Promise<string> {
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-renames",
    emptyTreeOf(commit),
    commit,
    "--",
    ":(glob)**/.gitattributes",
  ];
  return (await bytesOf(run, args)).toString("latin1");
}
