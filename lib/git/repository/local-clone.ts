// A clone of the person's repository on the same disk, with files of its own: git links the objects
// where it can.
import type { CommitHash } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, runGit } from "../run/run-git.ts";

type Wanted = { folder: string; commit: CommitHash };

/** The name and the address of the person count there as well. Throws git-failed. */
export async function localClone(
  git: Git,
  { commonDir }: Pick<RepositoryPlace, "commonDir">,
  { folder, commit }: Wanted,
  { name, email }: { name?: string; email?: string },
): Promise<void> {
  const args = ["clone", "--quiet", "--local", "--no-checkout", "--", commonDir, folder];
  await runGit(git, { args, cwd: commonDir, env: { GIT_ALLOW_PROTOCOL: "file" } });
  const settings = Object.entries({ "user.name": name, "user.email": email });
  for (const [key, value] of settings)
    if (value !== undefined) await runGit(git, { args: ["config", key, value], cwd: folder });
  await runGit(git, { args: ["checkout", "--quiet", "--detach", commit], cwd: folder });
}
