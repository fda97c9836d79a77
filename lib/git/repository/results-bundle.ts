// All goals and results of an instance, with the history that leads to them, in one file of git's
// own (`git bundle`): a person can fetch from it without Sett.
import { join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { FullDisk } from "../run/full-disk.ts";
import { type Git, runGit } from "../run/run-git.ts";
import { addingPack } from "./adding-pack.ts";

/** The abort of its signal ends git. */
type At = { git: Git; place: RepositoryPlace; instance: InstanceName };

/**
 * `beyond`: commits that its reader has, with their history. Resolves with how many names are in
 * it; with 0 nothing was written. Throws git-failed, as where a partial clone does not have all of
 * it, and where nothing is beyond these commits.
 */
export async function writeBundle(
  { git, place, instance }: At,
  onChunk: (chunk: Uint8Array) => void,
  beyond: readonly CommitHash[] = [],
): Promise<number> {
  const repository = [`--git-dir=${place.gitDir}`];
  const list = ["for-each-ref", "--format=%(refname)", `refs/sett/${instance}/`];
  const names = await runGit(git, { args: [...repository, ...list], cwd: place.commonDir });
  if (names === "") return 0;
  // Names are read from stdin: there may be more than arguments can be.
  const args = [...repository, "bundle", "create", "--quiet", "-", "--stdin"];
  const stdin = names + beyond.map((commit) => `^${commit}\n`).join("");
  await runGit(git, { args, stdin, onStdout: onChunk, cwd: place.commonDir });
  return names.split("\n").length - 1;
}

/**
 * Brings the goals and results in the file `path` into the repository, all or none of them, and
 * under no other names. git checks that each is whole. Throws git-failed.
 */
export async function readBundle({ git, place, instance }: At, path: string): Promise<void> {
  const names = `refs/sett/${instance}/*`;
  const refs = join(place.commonDir, "refs/sett");
  const args = [
    ...[`--git-dir=${place.gitDir}`, "-c", "fetch.fsckObjects=true", "-c", "fetch.unpackLimit=1"],
    ...["-c", "core.logAllRefUpdates=false"],
    ...["fetch", "--quiet", "--atomic", "--no-tags", "--no-write-fetch-head", "--no-prune"],
    ...["--no-recurse-submodules", "--", path, `+${names}:${names}`],
  ];
  // git reads such a file by itself, and starts no program for it.
  const run = { args, cwd: place.commonDir, env: { GIT_ALLOW_PROTOCOL: "file" } };
  try {
    await addingPack(place, () => runGit(git, run));
  } catch (error) {
    if (error instanceof FullDisk) throw error;
    throw new SettError("git-failed", messageOf(error), {
      hint: "Where the repository of the back-up was a shallow clone, this one must have the history before it: restore into a whole clone.",
      cause: error,
    });
  } finally {
    await changeOwner(
      place.owner,
      refs,
      join(refs, instance),
      join(place.commonDir, "packed-refs"),
    );
  }
}
