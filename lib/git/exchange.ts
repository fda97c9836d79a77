// The exchange on the host: a bare repository that containers write to, beside the objects that it borrows from the workspace.
import { lstat, mkdir, rename, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import { changeOwner } from "./change-owner.ts";
import { type RepositoryPlace, unusable } from "./find-repository.ts";
import { FolderOfAgents } from "./folder-of-agents.ts";
import { removeTree } from "./remove-tree.ts";

/** From the exchange's objects to the workspace's, on the host and, by the choice of mount points, in a container. */
const exchangeAlternates = "../../../objects\n";
/** More files than cubs ever make. */
const maxNames = 400_000;
const repairHint =
  "`sett down` fetches the commits on record that are still in it; then remove exchange.git, and `sett up` makes a new one.";
/** In the order in which they are made. */
const folders = ["", "objects", "objects/info", "objects/pack", "refs", "refs/sett"];

export function exchangePath(place: RepositoryPlace): string {
  return join(place.commonDir, "sett/exchange.git");
}

/**
 * Made under another name first, so that an incomplete one is never in its place. The owner of each part is set while no agent can reach
 * it; an exchange that containers have used is only checked.
 */
export async function createExchange(place: RepositoryPlace): Promise<void> {
  const path = exchangePath(place);
  if ((await lstat(path).catch(() => undefined)) !== undefined) return await requireSound(path, place);
  const unfinished = `${path}.new-${process.pid}`;
  try {
    if ((await mkdir(join(path, ".."), { recursive: true })) !== undefined) await changeOwner(place.owner, join(path, ".."));
    await removeTree(unfinished);
    await fill(place, unfinished);
    await rename(unfinished, path);
  } catch (cause) {
    await removeTree(unfinished).catch(() => undefined);
    if (cause instanceof SettError) throw cause;
    const hint = `Does the folder belong to you? ${path} is where agents leave their commits.`;
    throw new SettError("repository-unusable", `No exchange can be made in ${place.commonDir}.`, { hint, cause });
  }
}

/** Removes the exchange and the folder around it. Nothing there is fine. */
export async function removeExchange(place: RepositoryPlace): Promise<void> {
  const path = exchangePath(place);
  await removeTree(path);
  // Something else of Sett's may be in there.
  await rmdir(join(path, "..")).catch(() => undefined);
}

/** What `git init --bare` makes, as far as git needs it, and nothing that the user's settings for new repositories would add. */
async function fill({ objectFormat, containerUser }: RepositoryPlace, path: string): Promise<void> {
  const isSha256 = objectFormat === "sha256";
  const core = `[core]\n\trepositoryFormatVersion = ${isSha256 ? 1 : 0}\n\tfilemode = true\n\tbare = true\n`;
  const extensions = isSha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const files = {
    HEAD: "ref: refs/heads/main\n",
    config: `${core}${extensions}[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n`,
    "objects/info/alternates": exchangeAlternates,
  };
  for (const name of folders) {
    await mkdir(join(path, name));
    await changeOwner(containerUser, join(path, name));
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(path, name), text, { flag: "wx" });
    await changeOwner(containerUser, join(path, name));
  }
}

/** False where agents have left nothing in it. What cannot be read may hold something. */
export function holdsPacks(place: RepositoryPlace): boolean {
  try {
    using exchange = FolderOfAgents.open(exchangePath(place));
    using objects = exchange?.folder("objects");
    using packs = objects?.folder("pack");
    return exchange !== undefined && packs?.names(maxNames).length !== 0;
  } catch {
    return true;
  }
}

async function requireSound(path: string, place: RepositoryPlace): Promise<void> {
  if (!isAsMade(path)) {
    throw unusable(`The exchange ${path} is damaged: an agent has changed it.`, repairHint);
  }
  const { uid } = place.containerUser;
  for (const name of folders) {
    const stats = await lstat(join(path, name)).catch(() => undefined);
    if (stats === undefined || stats.uid === uid) continue;
    throw unusable(
      `The exchange's folder ${join(path, name)} belongs to user ${stats.uid}, and agents work as ${uid}.`,
      repairHint,
    );
  }
}

/** True when the exchange borrows objects from the workspace, and from nowhere else. */
function isAsMade(path: string): boolean {
  try {
    using exchange = FolderOfAgents.open(path);
    using objects = exchange?.folder("objects");
    using info = objects?.folder("info");
    return exchange?.text("HEAD", 1024) !== undefined && info?.text("alternates", 1024) === exchangeAlternates;
  } catch {
    return false;
  }
}
