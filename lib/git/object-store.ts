// The objects that agents see: what the commits of an instance's goals reach, and no more of the repository.
//
//   .git/sett/objects/INSTANCE/pack/…             packs, which only grow until they are written anew
//   .git/sett/objects/INSTANCE/info/sett-shallow  where history ends, in the format of git's own file `shallow`
//   .git/sett/objects/INSTANCE/info/sett-history  how many commits agents see of it, where that is limited
//   .git/sett/objects/INSTANCE/info/sett-tips     the latest commits that were packed: of what they reach nothing is packed again
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../folders/remove-tree.ts";
import { CommitHash, type InstanceName } from "../model/ids.ts";
import { changeOwner } from "./change-owner.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { type Git, runGit } from "./run-git.ts";
import { borrowing } from "./take-commit.ts";

/** git looks into every pack: more than so many are written anew as one. */
const maxPacks = 50;
/** So many of the latest goals say what need not be packed again. */
const maxKnown = 200;

interface Store {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly instance: InstanceName;
  readonly path: string;
}

export function storePath(place: Pick<RepositoryPlace, "commonDir">, instance: InstanceName): string {
  return join(place.commonDir, "sett/objects", instance);
}

/**
 * Makes the store, with what HEAD and the instance's own refs reach; one that exists is only added to, unless `history`, the number of
 * commits that agents see at most, is another one than before. Throws git-failed.
 */
export async function createStore(
  git: Git,
  place: RepositoryPlace,
  instance: InstanceName,
  history: number | undefined,
): Promise<void> {
  const store = storeOf(git, place, instance);
  await makeFolders(store);
  const isOther = (await readHistory(store)) !== history;
  const head = await runGit(git, { args: [inPlace(place), "rev-parse", "--verify", "HEAD^{commit}"] });
  const commits = [CommitHash.parse(head.trim()), ...(await ownRefs(store))];
  if (isOther) await writeAnew(store, commits, history);
  else await add(store, commits, history);
}

/** Adds what a commit reaches, beside what the store has. Throws git-failed. */
export async function addToStore(git: Git, place: RepositoryPlace, instance: InstanceName, commit: CommitHash): Promise<void> {
  const store = storeOf(git, place, instance);
  await makeFolders(store);
  await add(store, [commit], await readHistory(store));
}

/** Nothing there is fine. */
export async function removeStore(place: RepositoryPlace, instance: InstanceName): Promise<void> {
  await removeTree(storePath(place, instance));
}

/** Where the history of a store ends; undefined where it has all of it. */
export async function readDepth(objectsDir: string): Promise<string | undefined> {
  return await readFile(shallowPath(objectsDir), "utf8").catch(() => undefined);
}

function storeOf(git: Git, place: RepositoryPlace, instance: InstanceName): Store {
  return { git, place, instance, path: storePath(place, instance) };
}

function shallowPath(objectsDir: string): string {
  return join(objectsDir, "info/sett-shallow");
}

function historyPath(objectsDir: string): string {
  return join(objectsDir, "info/sett-history");
}

function tipsPath(objectsDir: string): string {
  return join(objectsDir, "info/sett-tips");
}

function inPlace({ gitDir }: RepositoryPlace): string {
  return `--git-dir=${gitDir}`;
}

async function makeFolders({ place, path }: Store): Promise<void> {
  const folders = [dirname(dirname(path)), dirname(path), path, join(path, "pack"), join(path, "info")];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    // Of the API's container only the innermost are writable.
    if (((await stat(folder)).mode & 0o777) !== 0o755) await chmod(folder, 0o755);
  }
  await changeOwner(place.owner, ...folders);
}

async function readHistory({ path }: Store): Promise<number | undefined> {
  const text = await readFile(historyPath(path), "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

/** The commits of the instance's goals and results, the oldest names first. */
async function ownRefs({ git, place, instance }: Store): Promise<CommitHash[]> {
  const args = [inPlace(place), "for-each-ref", "--sort=committerdate", "--format=%(objectname)", `refs/sett/${instance}/`];
  const lines = (await runGit(git, { args })).split("\n").filter((line) => line !== "");
  return [...new Set(lines.map((line) => CommitHash.parse(line)))];
}

async function add(store: Store, commits: readonly CommitHash[], history: number | undefined): Promise<void> {
  const missing = await missingIn(store, commits);
  const [before, host] = [await shallowIn(shallowPath(store.path)), await hostShallow(store)];
  // What was fetched deeper since must not stay hidden.
  const isDeeper = history === undefined && [...before].some((commit) => !host.has(commit));
  if (isDeeper || (missing.length > 0 && (await packsIn(store)).length >= maxPacks))
    return await writeAnew(store, [...(await ownRefs(store)), ...commits], history);
  if (missing.length === 0) return;
  const tips = await linesOf(tipsPath(store.path));
  // A goal may be the first since `sett up`, which has packed HEAD without a name.
  const packed = [...(await ownRefs(store)), ...tips.map((tip) => CommitHash.parse(tip))];
  const absent = new Set(await missingIn(store, packed));
  const known = packed.filter((commit) => !absent.has(commit) && !missing.includes(commit)).slice(-maxKnown);
  const ends = new Set([...before, ...host, ...(await endsOf(store, missing, history))]);
  await writeShallow(store, ends);
  await pack(store, missing, known, ends);
  await writeTips(store, [...tips, ...missing]);
}

/** Puts new packs beside the old ones, and only then removes these: agents may be reading them. */
async function writeAnew(store: Store, commits: readonly CommitHash[], history: number | undefined): Promise<void> {
  const old = await packsIn(store);
  const [before, host] = [await shallowIn(shallowPath(store.path)), await hostShallow(store)];
  const ends = new Set([...host, ...(await endsOf(store, commits, history))]);
  await writeShallow(store, new Set([...before, ...ends]));
  const written = await pack(store, [...new Set(commits)], [], ends);
  await writeShallow(store, ends);
  await writeNote(store, historyPath(store.path), history?.toString());
  await writeTips(store, commits);
  for (const name of old.filter((each) => each !== written))
    for (const ending of ["idx", "pack", "rev"]) await rm(join(store.path, "pack", `${name}.${ending}`), { force: true });
}

/** Resolves with the name of the pack. Its history ends at `ends`, which for git have no parents then. */
async function pack(
  { git, place, path }: Store,
  commits: readonly CommitHash[],
  known: readonly CommitHash[],
  ends: ReadonlySet<string>,
): Promise<string> {
  const revisions = [...[...ends].map((commit) => `--shallow ${commit}`), ...commits, ...known.map((commit) => `^${commit}`)];
  const folder = join(path, "pack");
  const args = [inPlace(place), "pack-objects", "--revs", "--delta-base-offset", "--quiet", join(folder, "pack")];
  // git makes its unfinished files here, too, and not among the objects of the repository.
  const env = { GIT_OBJECT_DIRECTORY: path, ...borrowing(place.objectsDir) };
  const hash = (await runGit(git, { args, env, stdin: `${revisions.join("\n")}\n` })).trim();
  const files = (await readdir(folder)).filter((name) => name.startsWith(`pack-${hash}.`)).map((name) => join(folder, name));
  for (const file of files) await chmod(file, 0o444);
  await changeOwner(place.owner, ...files);
  return `pack-${hash}`;
}

async function packsIn({ path }: Store): Promise<string[]> {
  const names = await readdir(join(path, "pack"));
  return names.filter((name) => name.endsWith(".pack")).map((name) => name.replace(/\.pack$/, ""));
}

/** Of the commits those that the store does not have; what it has, it has with all that it reaches. */
async function missingIn({ git, place, path }: Store, commits: readonly CommitHash[]): Promise<CommitHash[]> {
  if (commits.length === 0) return [];
  const args = [inPlace(place), "cat-file", "--batch-check=%(objecttype)"];
  const env = { GIT_OBJECT_DIRECTORY: path, GIT_ALTERNATE_OBJECT_DIRECTORIES: "" };
  const lines = (await runGit(git, { args, env, stdin: commits.map((commit) => `${commit}\n`).join("") })).split("\n");
  return commits.filter((_, index) => lines[index] !== "commit");
}

/** Of the newest commits of each the ones whose parents are not among them: there history ends. */
async function endsOf(
  { git, place }: Store,
  commits: readonly CommitHash[],
  history: number | undefined,
): Promise<ReadonlySet<string>> {
  const ends = new Set<string>();
  if (history === undefined) return ends;
  for (const commit of commits) {
    const args = [inPlace(place), "rev-list", "--parents", `--max-count=${history}`, commit];
    const lines = (await runGit(git, { args })).trim().split("\n");
    const parentsOf = new Map(lines.map((line) => [line.split(" ")[0] ?? "", line.split(" ").slice(1)]));
    for (const [each, parents] of parentsOf) if (parents.some((parent) => !parentsOf.has(parent))) ends.add(each);
  }
  return ends;
}

function hostShallow({ place }: Store): Promise<ReadonlySet<string>> {
  return shallowIn(join(place.commonDir, "shallow"));
}

async function shallowIn(path: string): Promise<ReadonlySet<string>> {
  return new Set(await linesOf(path));
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

async function writeTips(store: Store, tips: readonly string[]): Promise<void> {
  await writeNote(store, tipsPath(store.path), `${[...new Set(tips)].slice(-maxKnown).join("\n")}\n`);
}

async function writeShallow(store: Store, ends: ReadonlySet<string>): Promise<void> {
  const text = ends.size === 0 ? undefined : `${[...ends].sort().join("\n")}\n`;
  await writeNote(store, shallowPath(store.path), text);
}

/** A file beside the packs, which agents may be reading; without a text it is removed. */
async function writeNote({ place }: Store, file: string, text: string | undefined): Promise<void> {
  if (text === undefined) return await rm(file, { force: true });
  const unfinished = `${file}.${crypto.randomUUID()}`;
  await writeFile(unfinished, text);
  await chmod(unfinished, 0o644);
  await changeOwner(place.owner, unfinished);
  await rename(unfinished, file);
}
