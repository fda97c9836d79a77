// The files that differ between two commits, for those who bid by paths.
import type { CommitHash } from "../../model/ids.ts";
import type { GitRun } from "./run-git.ts";

const submodule = "160000";

/**
 * In the order of git, as text: bytes that are no UTF-8 become U+FFFD, which patterns match by a
 * wildcard alone. Both names of a renamed file; a submodule ends with `/`. No setting of the
 * commit (`.gitmodules`, attributes) hides a file. `run` throws git-failed.
 */
export async function changedPaths(
  run: (run: GitRun) => Promise<string>,
  from: CommitHash,
  to: CommitHash,
): Promise<string[]> {
  const options = ["-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none"];
  const listed = await run({ args: ["diff-tree", ...options, from, to, "--"], encoding: "latin1" });
  const fields = listed.split("\0").slice(0, -1);
  return fields.flatMap((name, at) => {
    if (at % 2 === 0) return [];
    const modes = (fields[at - 1] ?? "").slice(1).split(" ").slice(0, 2);
    const path = Buffer.from(name, "latin1").toString("utf8");
    return [modes.includes(submodule) ? `${path}/` : path];
  });
}
