// How much the files of a commit take on the disk of an agent: those of the repository, those that
// are here of its submodules, and the contents of LFS that are here.
import type { CommitHash } from "../../model/ids.ts";
import type { SparsePaths } from "../copy/sparse-paths.ts";
import { readTree } from "../copy/tree-facts.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { objectPath } from "../run/lfs-pointers.ts";
import { attachmentsOf, isWhole, type LfsSource, pointersOf } from "../run/lfs-sources.ts";
import type { Git, GitRun } from "../run/run-git.ts";

interface Sizing {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly commit: CommitHash;
  /** In bytes. It reads no further than it must to know that there are more. */
  readonly maxBytes: number;
  /** Undefined: all files. */
  readonly sparse: SparsePaths | undefined;
}

/** In bytes; undefined where there are more than `maxBytes`. Throws git-failed. */
export async function sizeOfFiles(sizing: Sizing): Promise<number | undefined> {
  const { git, place, commit, maxBytes, sparse } = sizing;
  const shows = (path: string) => sparse?.shows(path) ?? true;
  let bytes = await sizeOfTree(sizing, place.objectsDir);
  if (bytes === undefined) return undefined;
  const { submodules, lfs } = await attachmentsOf({ git, place }, commit);
  for (const each of submodules) {
    if (each.gitDir === undefined || sparse?.names(each.path) === false) continue;
    const left = maxBytes - bytes;
    const inside = { git, place, commit: each.commit, maxBytes: left, sparse: undefined };
    const more = await sizeOfTree(inside, each.objectsDir);
    if (more === undefined) return undefined;
    bytes += more;
  }
  bytes += await bytesOfLfs({ git, place }, lfs, shows);
  return bytes > maxBytes ? undefined : bytes;
}

async function sizeOfTree(
  { git, place, commit, maxBytes, sparse }: Sizing,
  objectsDir: string,
): Promise<number | undefined> {
  const of = (run: GitRun): GitRun => ({
    ...{ ...run, args: [`--git-dir=${place.gitDir}`, ...run.args] },
    env: { ...run.env, GIT_OBJECT_DIRECTORY: objectsDir },
  });
  const tree = await readTree({ git, of, commit, maxBytes, sparse });
  return tree?.bytes;
}

/** The bytes in the place of pointers. `shows`: whether a path from the top is in the part. */
async function bytesOfLfs(
  base: Pick<Sizing, "git" | "place">,
  sources: readonly LfsSource[],
  shows: (path: string) => boolean,
): Promise<number> {
  let bytes = 0;
  for (const source of sources)
    for (const { path, oid, size } of await pointersOf(base, source))
      if (shows(source.prefix + path) && (await isWhole(objectPath(source.lfsDir, oid), size)))
        bytes += size;
  return bytes;
}
