// Packs the names of an instance's goals and results. Each loose name is a file, and whatever lists
// refs opens all of them.
import { access, constants, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, tryGit } from "../run/run-git.ts";

/** So many files are listed in some milliseconds. */
const maxLoose = 500;
/** git's exit code for an option that it does not know. */
const wrongUse = 129;

/**
 * Does nothing while few are loose. An older git can pack only all names of the repository, as its
 * own `git gc` does. Where it cannot be done, because another git packs them now, the next call
 * does it.
 */
export async function packOwnRefs(
  git: Git,
  place: RepositoryPlace,
  instance: InstanceName,
): Promise<void> {
  const loose = await readdir(join(place.commonDir, "refs/sett", instance)).catch(() => []);
  if (loose.length <= maxLoose) return;
  // The container of the API writes single names, and not the file of packed ones.
  const mayWrite = await access(place.commonDir, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!mayWrite) return;
  const pack = (...which: string[]) =>
    tryGit(git, { args: [`--git-dir=${place.gitDir}`, "pack-refs", ...which] });
  const own = await pack("--include", `refs/sett/${instance}/*`);
  if (own.exitCode === wrongUse) await pack("--all");
  await changeOwner(place.owner, join(place.commonDir, "packed-refs"));
}
