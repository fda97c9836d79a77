// Where an instance's store is, and which packs it has.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import type { GitProgress, GitWait } from "../run/progress.ts";
import type { Git } from "../run/run-git.ts";

/** git looks into every pack: of more than so many the small ones are written anew as one. */
export const maxPacks = 50;

/** `path`: of the instance's store. */
export interface Store {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly instance: InstanceName;
  readonly path: string;
  /** Gets how far the packing is, and for what a fetch before it waits. */
  readonly onProgress?: ((news: GitProgress | GitWait) => void) | undefined;
}

export function storeOf(git: Git, place: RepositoryPlace, instance: InstanceName): Store {
  return { git, place, instance, path: join(place.commonDir, "sett/objects", instance) };
}

export function packFolderOf({ path }: Pick<Store, "path">): string {
  return join(path, "pack");
}

/** The names of its packs, without an ending. */
export async function packsIn(store: Pick<Store, "path">): Promise<string[]> {
  return await packNamesIn(packFolderOf(store));
}

/** git sees a pack when it sees its index. */
export async function packNamesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(".idx")).map((name) => name.replace(/\.idx$/, ""));
}
