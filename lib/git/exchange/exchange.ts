// The exchange on the host: a folder of packs for each agent that may publish, which is the only
// thing of the host that it can write to.
//
//   .git/sett/exchange/INSTANCE/AGENT/COMMIT.pack
//
// A pack has what its commit needs beyond the commit that its goal was stated on.
//
// It is no repository, and no git ever works in it: readers take one file out of it, as data.
import { chmod, lstat, mkdir, readdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeDefaultAccess } from "../../folders/access-list.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import type { AgentName, InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import { type Owner, type RepositoryPlace, unusable } from "../run/find-repository.ts";
import { isFullDisk } from "../run/full-disk.ts";
import { removeFailedPacks } from "./failed-packs.ts";

/** More agents than an instance has. */
export const maxAgents = 10_000;

export function exchangePath(
  place: Pick<RepositoryPlace, "commonDir">,
  instance: InstanceName,
): string {
  return join(place.commonDir, "sett/exchange", instance);
}

/**
 * Makes the exchange, and in it the folder of each agent that may publish, who are `writer` on this
 * machine. A folder gets its owner before its agent can reach it; one that has served is only
 * checked. Throws repository-unusable.
 */
export async function createExchange(
  place: RepositoryPlace,
  instance: InstanceName,
  { writers, writer }: { writers: readonly AgentName[]; writer: Owner },
): Promise<void> {
  const path = exchangePath(place, instance);
  try {
    // Another instance of the repository may just remove the folders that are empty.
    await makeParents(place, path).catch(() => makeParents(place, path));
    for (const folder of writers.map((agent) => join(path, agent))) {
      const isNew = await makeFolder(folder);
      if (isNew) await giveTo(writer, folder);
      await requireOwner(folder, writer.uid, isNew ? notOurs : leftBehind);
      // A command whose calls nothing narrows may have set it, and no new pack could be read.
      if (!isNew) await removeDefaultAccess(folder);
    }
  } catch (cause) {
    if (cause instanceof SettError || isFullDisk(cause)) throw cause;
    const hint = `Does the folder belong to you? ${path} is where agents leave their commits.`;
    throw new SettError("repository-unusable", `No exchange can be made in ${place.commonDir}.`, {
      hint,
      cause,
    });
  }
}

async function makeParents({ owner, containerUser }: RepositoryPlace, path: string): Promise<void> {
  const exchange = dirname(path);
  for (const folder of [dirname(exchange), exchange, path])
    if (await makeFolder(folder)) await changeOwner(owner, folder);
  // Agents may leave programs there that anyone could run as their owner. Containers get in by
  // mounts, whatever is above.
  if (owner.uid === containerUser.uid) await chmod(exchange, 0o700);
}

/** False where it exists. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const leftBehind =
  "`sett down` fetches the commits on record that are still in it; then remove it, and `sett up` makes a new one.";
/** The repository is another user's, or the Engine has `userns-remap`. */
const notOurs =
  "Only root can give the folder to that user: run `sett up` as root, or with an Engine that has no `userns-remap`.";

/** File systems of other systems, and shares of a network, belong to one user as a whole. */
async function giveTo({ uid, gid }: Owner, folder: string): Promise<void> {
  try {
    await changeOwner({ uid, gid }, folder);
  } catch (error) {
    if (Object(error).code !== "EPERM") throw error;
    throw unusable(
      `${folder} cannot be given to user ${uid}, who agents are: its file system keeps no owners.`,
      `Mount it with \`uid=${uid},gid=${gid}\`, or work in a clone on a disk that keeps owners.`,
    );
  }
}

async function requireOwner(folder: string, uid: number, hint: string): Promise<void> {
  const stats = await lstat(folder);
  if (stats.isDirectory() && stats.uid === uid) return;
  const what = stats.isDirectory()
    ? `belongs to user ${stats.uid}, and agents work as ${uid}`
    : "is no folder";
  throw unusable(`${folder}, where an agent leaves its commits, ${what}.`, hint);
}

/** Removes the exchange of an instance. Nothing there is fine. */
export async function removeExchange(
  place: RepositoryPlace,
  instance: InstanceName,
): Promise<void> {
  const path = exchangePath(place, instance);
  await removeTree(path);
  await removeFailedPacks(place, instance);
  // Other instances may have theirs in there.
  await rmdir(dirname(path)).catch(() => undefined);
}

/** False where agents have left nothing in it. What cannot be read may hold something. */
export async function holdsPacks(path: string): Promise<boolean> {
  try {
    for (const agent of await readdir(path))
      if ((await readdir(join(path, agent))).length > 0) return true;
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
