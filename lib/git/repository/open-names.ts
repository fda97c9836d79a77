// Lets the container of the API write the names of an instance's goals, and no other of the
// repository.
import { lstat, mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import { type RepositoryPlace, unusable } from "../run/find-repository.ts";

/** git passes over names that begin with a dot. */
const keep = ".keep";

function namesPath(
  { commonDir }: Pick<RepositoryPlace, "commonDir">,
  instance: InstanceName,
): string {
  return join(commonDir, "refs/sett", instance);
}

/**
 * Makes the folder for a container that runs as the repository's `containerUser`. The names have a
 * file beside them that git passes over: git removes empty folders, also while a container has them
 * mounted. Throws repository-unusable where the names are in no folder.
 */
export async function openNames(place: RepositoryPlace, instance: InstanceName): Promise<void> {
  const { commonDir, containerUser } = place;
  if ((await lstat(join(commonDir, "reftable")).catch(() => undefined)) !== undefined) {
    const hint =
      "Convert them (`git refs migrate --ref-format=files`), or remove `services.api` from sett.yml and use `sett ui`.";
    throw unusable(
      `${commonDir} keeps its refs in tables, which a container can only write as a whole.`,
      hint,
    );
  }
  const names = namesPath(place, instance);
  await mkdir(names, { recursive: true });
  await writeFile(join(names, keep), "", { flag: "a" });
  const ownNames = (await readdir(names)).map((name) => join(names, name));
  await changeOwner(containerUser, names, ...ownNames);
  await changeOwner(place.owner, join(commonDir, "refs/sett"));
}

/** Removes what is left of it once the names are removed. Nothing there is fine. */
export async function closeNames(place: RepositoryPlace, instance: InstanceName): Promise<void> {
  const names = namesPath(place, instance);
  await rm(join(names, keep), { force: true });
  for (const folder of [names, dirname(names)]) await rmdir(folder).catch(() => undefined);
}
