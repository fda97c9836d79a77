// The exchange on the host: a bare repository that containers write to, beside the objects that it borrows from the workspace.
import { appendFile, lstat, mkdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../model/errors.ts";
import { type RepositoryPlace, unusable } from "./find-repository.ts";
import { giveTo } from "./give-to.ts";
import { removeTree } from "./remove-tree.ts";
import { type Git, runGit } from "./run-git.ts";

/** From the exchange's objects to the workspace's, on the host and, by the choice of mount points, in a container. */
const exchangeAlternates = "../../../objects\n";

export function exchangePath(place: RepositoryPlace): string {
  return join(place.commonDir, "sett/exchange.git");
}

/**
 * Made complete under another name first, so that a half-made one never stands in its place. An exchange that containers have
 * used is only looked at: writing into it as another user could follow a link that one of them left.
 */
export async function createExchange(git: Git, place: RepositoryPlace): Promise<void> {
  const path = exchangePath(place);
  if ((await lstat(path).catch(() => undefined)) !== undefined) return await requireSound(path, place);
  const unfinished = `${path}.new-${process.pid}`;
  try {
    await mkdir(join(path, ".."), { recursive: true });
    await giveTo(place.owner, join(path, ".."));
    await removeTree(unfinished);
    await fill(git, place, unfinished);
    await giveTo(place.containerUser, unfinished);
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

/** True when the exchange borrows from the workspace and from nowhere else, as it was made. */
export async function borrowsOnlyFromWorkspace(exchangeDir: string): Promise<boolean> {
  const alternates = join(exchangeDir, "objects/info/alternates");
  // A plain file: one could wait for ever for the other end of a pipe.
  const isFile = (await lstat(alternates).catch(() => undefined))?.isFile() === true;
  return isFile && (await readFile(alternates, "utf8")) === exchangeAlternates;
}

async function fill(git: Git, place: RepositoryPlace, path: string): Promise<void> {
  // The user's settings for new repositories may choose what the git of a container does not know.
  const env = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_DEFAULT_REF_FORMAT: "files" };
  const format = `--object-format=${place.objectFormat}`;
  const args = ["init", "--bare", "--quiet", "--template=", format, "--initial-branch=main", path];
  await runGit(git, { args, env });
  await mkdir(join(path, "objects/info"), { recursive: true });
  await writeFile(join(path, "objects/info/alternates"), exchangeAlternates);
  await appendFile(join(path, "config"), "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n");
}

async function requireSound(path: string, place: RepositoryPlace): Promise<void> {
  const head = await lstat(join(path, "HEAD")).catch(() => undefined);
  if (head?.isFile() !== true || !(await borrowsOnlyFromWorkspace(path))) {
    const hint = "Fetch what you need from it by hand, then remove that folder; `sett up` makes a new one.";
    throw unusable(`The exchange ${path} is damaged.`, hint);
  }
  await giveTo(place.containerUser, path);
  const { uid } = await lstat(path);
  if (uid === place.containerUser.uid) return;
  throw unusable(`The exchange ${path} belongs to user ${uid}.`, `Give it to user ${place.containerUser.uid}, or remove it.`);
}
