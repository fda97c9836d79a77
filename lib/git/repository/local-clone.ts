// A clone of the person's repository on the same disk, with files of its own: git links the objects
// where it can.
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { lfsFolderOf } from "../run/lfs-sources.ts";
import { type Git, runGit } from "../run/run-git.ts";

type Wanted = { folder: string; commit: CommitHash };

/**
 * The name and the address of the person count there as well, and contents of Git LFS are found
 * where the person has them. Throws git-failed.
 */
export async function localClone(
  git: Git,
  place: Pick<RepositoryPlace, "commonDir" | "lfsFolder" | "person">,
  { folder, commit }: Wanted,
): Promise<void> {
  const { commonDir, person } = place;
  // Root may clone what belongs to another user, as it may work there.
  const safe = ["-c", "safe.directory=*"];
  const upload = `--upload-pack=git ${safe.join(" ")} upload-pack`;
  const args = [...safe, "clone", "--quiet", "--local", "--no-checkout", upload];
  const run = { cwd: commonDir, env: { GIT_ALLOW_PROTOCOL: "file" } };
  await runGit(git, { args: [...args, "--", commonDir, folder], ...run });
  const lfs = lfsFolderOf(place);
  const storage = (await stat(lfs).catch(() => undefined)) && dirname(lfs);
  const own = { "user.name": person.name, "user.email": person.email, "lfs.storage": storage };
  const settings = Object.entries(own);
  for (const [key, value] of settings)
    if (value !== undefined) await runGit(git, { args: ["config", key, value], cwd: folder });
  await runGit(git, { args: ["checkout", "--quiet", "--detach", commit], cwd: folder });
}
