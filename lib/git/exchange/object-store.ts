// The objects that agents see: what the commits of an instance's goals reach, and no more of the
// repository.
//
//   .git/sett/objects/INSTANCE/pack/…   packs, which only grow until they are written anew
//   .git/sett/objects/INSTANCE/info/…   what the host notes beside them: `store-notes.ts`
import { chmod, mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import { fetchMissing } from "../run/fetch-missing.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { runGit } from "../run/run-git.ts";
import { apartOf, endings, PackingRoom } from "./packing-room.ts";
import { copySharedPacks, coveredBy, sharedIn, takeSharedPacks } from "./shared-packs.ts";
import { maxPacks, packFolderOf, packsIn, type Store } from "./store.ts";
import {
  isUnfinished,
  linesOf,
  maxKnown,
  noteUnfinished,
  readBrought,
  readHistory,
  readShallow,
  readTips,
  writeHistory,
  writeShallow,
  writeTips,
} from "./store-notes.ts";

/** Each try begins with what the repository has then. */
const maxTries = 3;

/**
 * `history`: the number of commits that agents see at most. `isOpen`: the API can write to it as
 * well.
 */
export type StoreOptions = { history: number | undefined; isOpen: boolean };

/**
 * Makes the store, with what HEAD and the instance's own refs reach; one that exists is only added
 * to, unless `history` is another one than before. Only one program may do this at a time. What is
 * done begins anew where the repository changes meanwhile. Resolves with the HEAD that it has: the
 * repository's may be another one by now. Throws git-failed.
 */
export async function createStore(store: Store, options: StoreOptions): Promise<CommitHash> {
  await makeFolders(store);
  for (let tries = 1; ; tries++) {
    const [head, ...named] = await commitsToShow(store);
    const commits = [head, ...named];
    try {
      await fill(store, commits, options);
      return head;
    } catch (error) {
      const after = await commitsToShow(store).catch(() => commits);
      const hasChanged = commits.join() !== after.join();
      if (!hasChanged || store.git.signal?.aborted === true) throw error;
      if (tries < maxTries) continue;
      const hint = "When git has ended its work in the repository, run the same command again.";
      const message = "The repository changed again and again while it was packed for agents.";
      throw new SettError("git-failed", message, { hint, cause: error });
    }
  }
}

/** Throws git-failed where it names no commit. */
export async function headOf({ git, place }: Pick<Store, "git" | "place">): Promise<CommitHash> {
  const args = [inPlace(place), "rev-parse", "--verify", "HEAD^{commit}"];
  return CommitHash.parse((await runGit(git, { args })).trim());
}

/** HEAD, and then what the instance has by name. */
async function commitsToShow(store: Store): Promise<[CommitHash, ...CommitHash[]]> {
  const head = await headOf(store);
  return [head, ...(await ownRefs(store)).filter((commit) => commit !== head)];
}

async function fill(
  store: Store,
  commits: readonly CommitHash[],
  { history, isOpen }: StoreOptions,
): Promise<void> {
  const isOther = (await readHistory(store)) !== history;
  if (isOther) return await writeAnew(store, commits, history);
  // A pack of the repository has all that came before, too, and one of a partial clone not even
  // what its commits reach.
  const isWhole = history === undefined && store.place.promisors.length === 0;
  if (isWhole && !(await isDeeper(store))) return await addWithShared(store, commits, isOpen);
  await add(store, commits, history);
}

/** Adds what the commits reach, beside what the store has. Throws git-failed. */
export async function addToStore(store: Store, commits: readonly CommitHash[]): Promise<void> {
  await makeFolders(store);
  await add(store, commits, await readHistory(store));
}

/** The commits of these that the store has, with all that they reach. */
export async function seenIn(store: Store, commits: readonly CommitHash[]): Promise<CommitHash[]> {
  const missing = new Set(await missingIn(store, commits));
  return commits.filter((commit) => !missing.has(commit));
}

/** Gives all of it to the containers' user, who then can add to it. */
export async function openStoreToApi(store: Store): Promise<void> {
  const { place, path } = store;
  if (!mayLink(store, true)) await copySharedPacks(store);
  const folders = [path, join(path, "info"), join(path, "pack")];
  const files = await Promise.all(
    folders
      .slice(1)
      .map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  await changeOwner(place.containerUser, ...folders, ...files.flat());
}

/** Nothing there is fine. */
export async function removeStore(store: Store): Promise<void> {
  await removeTree(store.path);
  await removeTree(apartOf(store));
  await rmdir(dirname(apartOf(store))).catch(() => undefined);
}

/**
 * A program that can write to the store as the owner of its files could change those that the
 * repository has, too.
 */
function mayLink({ place: { owner, containerUser } }: Store, isOpen: boolean): boolean {
  return !isOpen || owner.uid !== containerUser.uid;
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
  // Commits that were fetched deeper since must not stay hidden.
  if (history === undefined && (await isDeeper(store))) {
    const brought = (await readBrought(store)).map(({ commit }) => commit);
    const kept = [...(await ownRefs(store)), ...(await seenIn(store, brought))];
    return await writeAnew(store, [...kept, ...commits], history);
  }
  const missing = await missingIn(store, commits);
  if (missing.length === 0) return;
  const known = await knownIn(store, missing);
  const ends = await noteEnds(store, missing, history);
  await using room = await PackingRoom.inStore(store);
  const made = await pack(store, room, missing, { known, ends, kept: await packsIn(store) });
  if (made !== undefined) await room.place(made);
  await noteTips(store, missing);
  await mergeSmallPacks(store);
}

/** Adds what the commits reach, by packs of the repository where agents may see all of a pack. */
async function addWithShared(
  store: Store,
  commits: readonly CommitHash[],
  isOpen: boolean,
): Promise<void> {
  const wanted = await missingIn(store, commits);
  const known = await knownIn(store, wanted);
  const ends = await noteEnds(store, wanted, undefined);
  await using room = await PackingRoom.apart(store);
  const sharing = { shown: commits, wanted, known, mayLink: mayLink(store, isOpen) };
  const { names: shared, isComplete } = await takeSharedPacks(store, room, sharing);
  const kept = [...(await packsIn(store)), ...shared];
  const isAll = isComplete || wanted.length === 0;
  const made = isAll ? undefined : await pack(store, room, wanted, { known, ends, kept });
  // A commit is seen with the first of its packs, and whole with the last.
  await noteUnfinished(store, true);
  for (const name of [...shared, ...(made === undefined ? [] : [made])]) await room.place(name);
  await noteTips(store, wanted);
  await noteUnfinished(store, false);
  await removePacks(store, await coveredBy(store, shared));
  await mergeSmallPacks(store);
}

async function isDeeper(store: Store): Promise<boolean> {
  const [before, host] = [await readShallow(store), await hostShallow(store)];
  return [...before].some((commit) => !host.has(commit));
}

/** The commits whose history need not be packed again. */
async function knownIn(store: Store, missing: readonly CommitHash[]): Promise<CommitHash[]> {
  if (missing.length === 0) return [];
  const tips = (await readTips(store)).map((tip) => CommitHash.parse(tip));
  // A goal may be the first since `sett up`, which has packed HEAD without a name.
  const packed = (await isUnfinished(store)) ? tips : [...(await ownRefs(store)), ...tips];
  const absent = new Set(await absentIn(store, packed));
  return packed
    .filter((commit) => !absent.has(commit) && !missing.includes(commit))
    .slice(-maxKnown);
}

/** Notes where the history of the commits ends before anyone can see them. */
async function noteEnds(
  store: Store,
  missing: readonly CommitHash[],
  history: number | undefined,
): Promise<ReadonlySet<string>> {
  const [before, host] = [await readShallow(store), await hostShallow(store)];
  const ends = new Set([...before, ...host, ...(await endsOf(store, missing, history))]);
  if (missing.length > 0) await writeShallow(store, ends);
  return ends;
}

async function noteTips(store: Store, commits: readonly CommitHash[]): Promise<void> {
  if (commits.length > 0) await writeTips(store, [...(await readTips(store)), ...commits]);
}

/**
 * Puts all packs but the largest and those of the repository together where there are many, so that
 * the work grows with what was added and not with the repository.
 */
async function mergeSmallPacks(store: Store): Promise<void> {
  const all = await packsIn(store);
  if (all.length <= maxPacks) return;
  const folder = packFolderOf(store);
  const sized = all.map(async (name) => ({
    name,
    bytes: (await stat(join(folder, `${name}.pack`))).size,
  }));
  const [largest] = (await Promise.all(sized)).toSorted((one, other) => other.bytes - one.bytes);
  const shared = await sharedIn(store);
  const small = all.filter((name) => name !== largest?.name && !shared.includes(name));
  const objects: string[] = [];
  for (const name of small) {
    await using index = await open(join(folder, `${name}.idx`));
    const listed = await runGit(store.git, {
      args: [inPlace(store.place), "show-index"],
      stdinFile: index.fd,
    });
    objects.push(...listed.split("\n").flatMap((line) => line.split(" ")[1] ?? []));
  }
  await using room = await PackingRoom.inStore(store);
  const written = await room.pack([], `${objects.join("\n")}\n`);
  if (written === undefined) return;
  await room.place(written);
  await removePacks(
    store,
    small.filter((name) => name !== written),
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
  await using room = await PackingRoom.inStore(store);
  const written = await pack(store, room, [...new Set(commits)], { known: [], ends, kept: [] });
  if (written !== undefined) await room.place(written);
  await writeShallow(store, ends);
  await writeHistory(store, history);
  await writeTips(store, commits);
  await noteUnfinished(store, false);
  await removePacks(
    store,
    old.filter((each) => each !== written),
  );
}

async function removePacks(store: Store, names: readonly string[]): Promise<void> {
  // git no longer looks for the others without the index.
  for (const name of names)
    for (const ending of endings.toReversed())
      await rm(join(packFolderOf(store), `${name}.${ending}`), { force: true });
}

/** `kept`: the packs whose objects are left out. */
type Packing = {
  known: readonly CommitHash[];
  ends: ReadonlySet<string>;
  kept: readonly string[];
};

/**
 * Resolves with the name of the pack; undefined where the packs `kept` have all of it. Its history
 * ends at `ends`, which for git have no parents then.
 */
async function pack(
  store: Store,
  room: PackingRoom,
  commits: readonly CommitHash[],
  { known, ends, kept }: Packing,
): Promise<string | undefined> {
  const revisions = [...commits, ...known.map((commit) => `^${commit}`)];
  await fetchMissing(store, { revisions, ends });
  const shallow = [...ends].map((commit) => `--shallow ${commit}`);
  return await room.pack(["--revs"], `${[...shallow, ...revisions].join("\n")}\n`, kept);
}

/**
 * Returns the commits that the store does not have; it has a commit with all that it reaches,
 * unless it got packs that belong together and not the last of them.
 */
async function missingIn(store: Store, commits: readonly CommitHash[]): Promise<CommitHash[]> {
  if (!(await isUnfinished(store))) return await absentIn(store, commits);
  const whole = new Set(await readTips(store));
  const absent = new Set(await absentIn(store, commits));
  return commits.filter((commit) => absent.has(commit) || !whole.has(commit));
}

async function absentIn(
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
