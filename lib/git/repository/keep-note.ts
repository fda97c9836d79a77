// Keeps what attests a commit as a note of git: it goes where the notes of the repository go
// (docs/reference/proof.md#attestations).
import { join } from "node:path";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, runGit, tryGit } from "../run/run-git.ts";
import { withoutPerson } from "../run/without-person.ts";

const folder = "refs/notes/sett";

/** Replaces an earlier one. `text`: one line, with its line feed. Throws git-failed. */
export async function keepNote(
  git: Git,
  { gitDir, commonDir, owner }: RepositoryPlace,
  { instance, commit, text }: { instance: InstanceName; commit: CommitHash; text: string },
): Promise<void> {
  const ref = `${folder}/${instance}`;
  const own = { ...git, env: { ...git.env, ...withoutPerson } };
  const at = [`--git-dir=${gitDir}`, "-c", "core.logAllRefUpdates=false"];
  const notes = [...at, "notes", `--ref=${ref}`];
  const before = await tryGit(git, { args: [...notes, "show", commit] });
  if (before.exitCode === 0 && before.stdout === text) return;
  const tip = await tryGit(git, { args: [...at, "rev-parse", "--verify", "--quiet", ref] });
  await runGit(own, { args: [...notes, "add", "--force", "--file=-", commit], stdin: text });
  const known = tip.exitCode === 0 ? [`^${tip.stdout.trim()}`] : [];
  const list = ["rev-list", "--objects", "--no-object-names", ref, ...known];
  const made = (await runGit(git, { args: [...at, ...list] })).trim().split("\n");
  const objects = made.flatMap((hash) => [
    join(commonDir, "objects", hash.slice(0, 2)),
    join(commonDir, "objects", hash.slice(0, 2), hash.slice(2)),
  ]);
  const refs = [join(commonDir, "refs/notes"), join(commonDir, folder), join(commonDir, ref)];
  await changeOwner(owner, ...objects, ...refs);
}
