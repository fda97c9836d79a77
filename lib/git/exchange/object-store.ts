// The objects that agents see: what the commits of an instance's goals reach, and no more of the
// repository.
//
//   .git/sett/objects/INSTANCE/pack/…   packs, which only grow until they are written anew
//   .git/sett/objects/INSTANCE/info/…   what the host notes beside them: `store-notes.ts`
import { chmod, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { CommitHash, type InstanceName } from "../../model/ids.ts";
import { borrowing } from "../run/borrowing.ts";
import { changeOwner } from "../run/change-owner.ts";
import { fetchMissing } from "../run/fetch-missing.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import type { GitProgress } from "../run/progress.ts";
import { type Git, runGit } from "../run/run-git.ts";
import {
  linesOf,
  maxKnown,
  readHistory,
  readShallow,
  readTips,
  writeHistory,
  writeShallow,
  writeTips,
} from "./store-notes.ts";

/** git looks into every pack: of more than so many the small ones are written anew as one. */
const maxPacks = 50;

/** `path`: of the instance's store. */
export interface Store {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly instance: InstanceName;
  readonly path: string;
  /** Gets how far the packing is. */
  readonly onProgress?: ((progress: GitProgress) => void) | undefined;
}

export function storeOf(git: Git, place: RepositoryPlace, instance: InstanceName): Store {
  return { git, place, instance, path: join(place.commonDir, "sett/objects", instance) };
}

/**
 * Makes the store, with what HEAD and the instance's own refs reach; one that exists is only added
 * to, unless `history`, the number of commits that agents see at most, is another one than before.
 * Throws git-failed.
 */
export async function createStore(store: Store, history: number | undefined): Promise<void> {
  const { git, place } = store;
  await makeFolders(store);
  const isOther = (await readHistory(store)) !== history;
  const head = await runGit(git, {
    args: [inPlace(place), "rev-parse", "--verify", "HEAD^{commit}"],
  });
  const commits = [CommitHash.parse(head.trim()), ...(await ownRefs(store))];
  if (isOther) await writeAnew(store, commits, history);
  else await add(store, commits, history);
}

/** Adds what the commits reach, beside what the store has. Throws git-failed. */
export async function addToStore(store: Store, commits: readonly CommitHash[]): Promise<void> {
  await makeFolders(store);
  await add(store, commits, await readHistory(store));
}

/** Gives all of it to the containers' user, who then can add to it. */
export async function openStoreToApi({ place, path }: Store): Promise<void> {
  const folders = [path, join(path, "info"), join(path, "pack")];
  const files = await Promise.all(
    folders
      .slice(1)
      .map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  await changeOwner(place.containerUser, ...folders, ...files.flat());
}

/** Nothing there is fine. */
export async function removeStore({ path }: Store): Promise<void> {
  await removeTree(path);
}

function inPlace({ gitDir }: RepositoryPlace): string {
  return `--git-dir=${gitDir}`;
}

async function makeFolders({ place, path }: Store): Promise<void> {
  const folders = [
    dirname(dirname(path)),
    dirname(path),
    path,
    join(path, "pack"),
    join(path, "info"),
  ];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    // The API's container can write only to the innermost.
    if (((await stat(folder)).mode & 0o777) !== 0o755) await chmod(folder, 0o755);
  }
  await changeOwner(place.owner, ...folders);
}

/** The commits of the instance's goals and results, the oldest names first. */
async function ownRefs({ git, place, instance }: Store): Promise<CommitHash[]> {
  const args = [
    inPlace(place),
    "for-each-ref",
    "--sort=committerdate",
    "--format=%(objectname)",
    `refs/sett/${instance}/`,
  ];
  const lines = (await runGit(git, { args })).split("\n").filter((line) => line !== "");
  return [...new Set(lines.map((line) => CommitHash.parse(line)))];
}

async function add(
  store: Store,
  commits: readonly CommitHash[],
  history: number | undefined,
): Promise<void> {
  const missing = await missingIn(store, commits);
  const [before, host] = [await readShallow(store), await hostShallow(store)];
  // Commits that were fetched deeper since must not stay hidden.
  const isDeeper = history === undefined && [...before].some((commit) => !host.has(commit));
  if (isDeeper) return await writeAnew(store, [...(await ownRefs(store)), ...commits], history);
  if (missing.length === 0) return;
  const tips = await readTips(store);
  // A goal may be the first since `sett up`, which has packed HEAD without a name.
  const packed = [...(await ownRefs(store)), ...tips.map((tip) => CommitHash.parse(tip))];
  const absent = new Set(await missingIn(store, packed));
  const known = packed
    .filter((commit) => !absent.has(commit) && !missing.includes(commit))
    .slice(-maxKnown);
  const ends = new Set([...before, ...host, ...(await endsOf(store, missing, history))]);
  await writeShallow(store, ends);
  await pack(store, missing, known, ends);
  await writeTips(store, [...tips, ...missing]);
  if ((await packsIn(store)).length > maxPacks) await mergeSmallPacks(store);
}

/**
 * Puts all packs but the largest together, so that the work grows with what was added and not with
 * the repository.
 */
async function mergeSmallPacks(store: Store): Promise<void> {
  const folder = join(store.path, "pack");
  const sized = (await packsIn(store)).map(async (name) => ({
    name,
    bytes: (await stat(join(folder, `${name}.pack`))).size,
  }));
  const small = (await Promise.all(sized))
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(1);
  const objects: string[] = [];
  for (const { name } of small) {
    await using index = await open(join(folder, `${name}.idx`));
    const listed = await runGit(store.git, {
      args: [inPlace(store.place), "show-index"],
      stdinFile: index.fd,
    });
    objects.push(...listed.split("\n").flatMap((line) => line.split(" ")[1] ?? []));
  }
  const written = await packed(store, [], `${objects.join("\n")}\n`);
  await removePacks(
    store,
    small.map(({ name }) => name).filter((name) => name !== written),
  );
}

/** Puts new packs beside the old ones, and only then removes these: agents may be reading them. */
async function writeAnew(
  store: Store,
  commits: readonly CommitHash[],
  history: number | undefined,
): Promise<void> {
  const old = await packsIn(store);
  const [before, host] = [await readShallow(store), await hostShallow(store)];
  const ends = new Set([...host, ...(await endsOf(store, commits, history))]);
  await writeShallow(store, new Set([...before, ...ends]));
  const written = await pack(store, [...new Set(commits)], [], ends);
  await writeShallow(store, ends);
  await writeHistory(store, history);
  await writeTips(store, commits);
  await removePacks(
    store,
    old.filter((each) => each !== written),
  );
}

async function removePacks({ path }: Store, names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const ending of ["idx", "pack", "rev"])
      await rm(join(path, "pack", `${name}.${ending}`), { force: true });
}

/**
 * Resolves with the name of the pack. Its history ends at `ends`, which for git have no parents
 * then.
 */
async function pack(
  store: Store,
  commits: readonly CommitHash[],
  known: readonly CommitHash[],
  ends: ReadonlySet<string>,
): Promise<string> {
  const revisions = [...commits, ...known.map((commit) => `^${commit}`)];
  await fetchMissing(store, { revisions, ends });
  const shallow = [...ends].map((commit) => `--shallow ${commit}`);
  return await packed(store, ["--revs"], `${[...shallow, ...revisions].join("\n")}\n`);
}

/**
 * Resolves with the name of the pack of what `stdin` names: objects, or with `--revs` revisions.
 */
async function packed(
  { git, place, path, onProgress }: Store,
  options: readonly string[],
  stdin: string,
): Promise<string> {
  const folder = join(path, "pack");
  const args = [
    inPlace(place),
    "pack-objects",
    ...options,
    "--delta-base-offset",
    onProgress === undefined ? "--quiet" : "--progress",
    join(folder, "pack"),
  ];
  // git makes its unfinished files here, too, and not among the objects of the repository.
  const env = { GIT_OBJECT_DIRECTORY: path, ...borrowing(place.objectsDir) };
  const hash = (await runGit(git, { args, env, stdin, onProgress })).trim();
  const files = (await readdir(folder))
    .filter((name) => name.startsWith(`pack-${hash}.`))
    .map((name) => join(folder, name));
  for (const file of files) await chmod(file, 0o444);
  await changeOwner(place.owner, ...files);
  return `pack-${hash}`;
}

async function packsIn({ path }: Store): Promise<string[]> {
  const names = await readdir(join(path, "pack"));
  return names.filter((name) => name.endsWith(".pack")).map((name) => name.replace(/\.pack$/, ""));
}

/**
 * Returns the commits that the store does not have; it has a commit with all that it reaches.
 */
async function missingIn(
  { git, place, path }: Store,
  commits: readonly CommitHash[],
): Promise<CommitHash[]> {
  if (commits.length === 0) return [];
  const args = [inPlace(place), "cat-file", "--batch-check=%(objecttype)"];
  const env = { GIT_OBJECT_DIRECTORY: path, GIT_ALTERNATE_OBJECT_DIRECTORIES: "" };
  const lines = (
    await runGit(git, { args, env, stdin: commits.map((commit) => `${commit}\n`).join("") })
  ).split("\n");
  return commits.filter((_, index) => lines[index] !== "commit");
}

/**
 * Returns the boundary commits of a limited history: those with a parent beyond the newest ones.
 */
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
    const parentsOf = new Map(
      lines.map((line) => [line.split(" ")[0] ?? "", line.split(" ").slice(1)]),
    );
    for (const [each, parents] of parentsOf)
      if (parents.some((parent) => !parentsOf.has(parent))) ends.add(each);
  }
  return ends;
}

async function hostShallow({ place }: Store): Promise<ReadonlySet<string>> {
  return new Set(await linesOf(join(place.commonDir, "shallow")));
}
