// Lets the name of each lane follow its tip on record. Commits that are not here yet come with a
// later fetch.
import { dirname, join } from "node:path";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import type { LaneName } from "../../model/lane.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, runGit, tryGit } from "../run/run-git.ts";
import { laneRef } from "./refs.ts";

/** Throws git-failed. */
export async function moveLanes(
  git: Git,
  place: RepositoryPlace,
  instance: InstanceName,
  lanes: readonly { lane: LaneName; commit: CommitHash }[],
): Promise<void> {
  const at = `--git-dir=${place.gitDir}`;
  for (const { lane, commit } of lanes) {
    const ref = laneRef(instance, lane);
    const isHere = await tryGit(git, { args: [at, "cat-file", "-e", `${commit}^{commit}`] });
    const before = await tryGit(git, { args: [at, "rev-parse", "--verify", "--quiet", ref] });
    if (isHere.exitCode !== 0 || before.stdout.trim() === commit) continue;
    await runGit(git, { args: [at, "update-ref", ref, commit] });
    const file = join(place.commonDir, ref);
    await changeOwner(place.owner, dirname(dirname(file)), dirname(file), file);
  }
}
