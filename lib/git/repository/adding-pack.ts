// git leaves half a pack in a repository whose disk is full, until a clean-up finds it weeks later:
// the disk would stay full.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { fullDiskOf } from "../run/full-disk.ts";

/** Does what adds a pack to the repository. What a full disk leaves of it is removed. */
export async function addingPack<Result>(
  { objectsDir, commonDir }: RepositoryPlace,
  job: () => Promise<Result>,
): Promise<Result> {
  const folder = join(objectsDir, "pack");
  const namesIn = async (): Promise<string[]> => await readdir(folder).catch(() => []);
  const before = await namesIn();
  try {
    return await job();
  } catch (error) {
    const full = await fullDiskOf(error, commonDir);
    if (full === undefined) throw error;
    for (const name of await namesIn())
      if (name.startsWith("tmp_") && !before.includes(name))
        await rm(join(folder, name), { force: true });
    throw full;
  }
}
