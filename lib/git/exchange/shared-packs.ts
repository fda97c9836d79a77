// Packs of the repository that a store has as well, by hard links, so that they cost no disk and no
// packing. A pack can be shared if agents may see every object in it: a stash, another branch or
// what was removed from history keeps the whole pack out.
//
// A hard link is a name of its own: whatever git does to the names in the repository, the file
// stays for as long as the store has it.
import { constants, copyFile, link, lstat, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { PackIndex } from "../run/pack-index.ts";
import { type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { endings, isWithoutLinks, type PackingRoom } from "./packing-room.ts";
import { packFolderOf, packsIn, type Store } from "./store.ts";

/** git itself puts its packs together before there are many more. */
const maxCandidates = 20;
/** As many as tell a pack with other branches from one without. */
const maxHiddenCommits = 1_000;
const progressEvery = 20_000;
/** A pack with one of these beside it lacks objects, or has what nothing reaches. */
const unfit = ["promisor", "mtimes"];
const readableByAll = 0o004;
const pieceBytes = 1024 ** 2;

type Candidate = {
  readonly name: string;
  /** The folder of its files: that of the room, where links hold them, or the repository's. */
  readonly folder: string;
  readonly isHeld: boolean;
  readonly index: PackIndex;
  /** 1 for each object that the commits reach. */
  readonly seen: Uint8Array;
};

/** `isComplete`: they have all that the commits reach, and the store does not have. */
type SharedPacks = { readonly names: readonly string[]; readonly isComplete: boolean };

const nothing: SharedPacks = { names: [], isComplete: false };

/**
 * `shown`: all that agents see then; `wanted`: those of them that the store does not have, beyond
 * what `known` reach. `mayLink`: no one who can write to the store could change the repository by a
 * link; else packs are copied.
 */
type Sharing = {
  readonly shown: readonly CommitHash[];
  readonly wanted: readonly CommitHash[];
  readonly known: readonly CommitHash[];
  readonly mayLink: boolean;
};

/**
 * Puts packs of the repository into the room that agents may see as a whole, and whose objects the
 * store does not have, or pays for itself. Throws git-failed.
 */
export async function takeSharedPacks(
  store: Store,
  room: PackingRoom,
  { shown: commits, wanted, known, mayLink }: Sharing,
): Promise<SharedPacks> {
  // What its commits reach can be listed only once it is fetched, in packs that are unfit.
  if (store.place.promisors.length > 0) return nothing;
  const all = await holdCandidates(store, room, mayLink);
  // A copy is worth it only instead of packing.
  const useful = wanted.length > 0 ? all : all.filter(({ isHeld }) => isHeld);
  const candidates = await withoutHidden(store, useful, commits);
  if (candidates.length === 0) return nothing;
  const outside = wanted.length === 0 ? 0 : await markReached(store, candidates, { wanted, known });
  const shown = await indexesOf(store);
  const fit = candidates.filter((candidate) => isSeen(candidate, shown));
  const taken: string[] = [];
  for (const candidate of fit)
    if (isNew(candidate, shown) && (await take(room, candidate))) taken.push(candidate.name);
  const isComplete = outside === 0 && taken.length === all.length;
  return { names: taken, isComplete };
}

/** The packs of the store in which is nothing that `shared` do not have. */
export async function coveredBy(store: Store, shared: readonly string[]): Promise<string[]> {
  if (shared.length === 0) return [];
  const all = await indexesOf(store);
  const [covering, others] = [true, false].map((isShared) =>
    all.filter(({ name }) => shared.includes(name) === isShared),
  );
  return (others ?? [])
    .filter(({ index }) =>
      everyName(index, (name) => (covering ?? []).some((each) => each.index.find(name) >= 0)),
    )
    .map(({ name }) => name);
}

/**
 * The API, which can write to the store as its files' owner, could change the repository's packs by
 * their second names: it gets copies instead.
 */
export async function copySharedPacks(store: Store): Promise<void> {
  const folder = packFolderOf(store);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Others may have put something there; only what was opened is copied.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (file === undefined) continue;
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.nlink === 1) continue;
      const copy = join(folder, `tmp_${crypto.randomUUID()}`);
      await using target = await open(copy, "wx", 0o444);
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (let at = 0; ; ) {
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead === 0) break;
        await target.write(piece, 0, bytesRead, at);
        at += bytesRead;
      }
      await rename(copy, path);
    } finally {
      await file.close();
    }
  }
}

/** The packs of the store that are files of the repository, too. */
export async function sharedIn(store: Store): Promise<string[]> {
  const shared: string[] = [];
  for (const name of await packsIn(store)) {
    const file = `${name}.pack`;
    const [own, theirs] = await Promise.all(
      [packFolderOf(store), packsOf(store)].map((folder) =>
        lstat(join(folder, file)).catch(() => undefined),
      ),
    );
    if (own !== undefined && own.ino === theirs?.ino && own.dev === theirs.dev) shared.push(name);
  }
  return shared;
}

function packsOf({ place }: Pick<Store, "place">): string {
  return join(place.objectsDir, "pack");
}

/** The largest packs that the store does not have. */
async function holdCandidates(
  store: Store,
  room: PackingRoom,
  mayLink: boolean,
): Promise<Candidate[]> {
  const folder = packsOf(store);
  const files = await readdir(folder).catch(() => []);
  const has = new Set(files);
  const shown = new Set(await packsIn(store));
  const sized: { name: string; bytes: number }[] = [];
  for (const file of files) {
    const name = /^(pack-[0-9a-f]+)\.idx$/.exec(file)?.[1];
    if (name === undefined || shown.has(name)) continue;
    if (unfit.some((ending) => has.has(`${name}.${ending}`))) continue;
    const bytes = await readableBytes(folder, name);
    if (bytes !== undefined) sized.push({ name, bytes });
  }
  const largest = sized.toSorted((one, other) => other.bytes - one.bytes).slice(0, maxCandidates);
  const candidates = await Promise.all(
    largest.map(({ name }) => hold(store, room, { name, mayLink })),
  );
  return candidates.filter((each) => each !== undefined);
}

/** Undefined for what others than its owner cannot read: agents may have users of their own. */
async function readableBytes(folder: string, name: string): Promise<number | undefined> {
  const [pack, index] = await Promise.all(
    ["pack", "idx"].map((ending) =>
      lstat(join(folder, `${name}.${ending}`)).catch(() => undefined),
    ),
  );
  const isReadable = [pack, index].every(
    (file) => file?.isFile() === true && (file.mode & readableByAll) !== 0,
  );
  return isReadable ? pack?.size : undefined;
}

/** Undefined where another git has just removed it, or its index is none that is known here. */
async function hold(
  store: Store,
  room: PackingRoom,
  { name, mayLink }: { name: string; mayLink: boolean },
): Promise<Candidate | undefined> {
  const theirs = packsOf(store);
  const isHeld = mayLink && (await linkPack(theirs, room.folder, name));
  const folder = isHeld ? room.folder : theirs;
  const path = join(folder, `${name}.idx`);
  const index = await PackIndex.read(path, store.place.objectFormat).catch(() => undefined);
  if (index === undefined) return undefined;
  return { name, folder, isHeld, index, seen: new Uint8Array(index.count) };
}

/** False where the system makes no links of it, or it is not there any more. */
async function linkPack(from: string, to: string, name: string): Promise<boolean> {
  return await onEachFile(from, to, name, link);
}

async function take(room: PackingRoom, { name, folder, isHeld }: Candidate): Promise<boolean> {
  if (isHeld) return true;
  // Where the file system can, the copy shares its blocks.
  const copy = (from: string, to: string) => copyFile(from, to, constants.COPYFILE_FICLONE);
  return await room.filling(() => onEachFile(folder, room.folder, name, copy));
}

async function onEachFile(
  from: string,
  to: string,
  name: string,
  make: (from: string, to: string) => Promise<void>,
): Promise<boolean> {
  for (const ending of endings) {
    const file = `${name}.${ending}`;
    try {
      await make(join(from, file), join(to, file));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (code === "ENOENT" && ending === "rev") continue;
      if (code === "ENOENT" || isWithoutLinks(error)) return false;
      throw error;
    }
  }
  return true;
}

/** Leaves out packs with a commit that has a name, and that agents do not see. */
async function withoutHidden(
  { git, place }: Store,
  candidates: readonly Candidate[],
  seen: readonly CommitHash[],
): Promise<readonly Candidate[]> {
  if (candidates.length === 0) return [];
  const args = [
    `--git-dir=${place.gitDir}`,
    "rev-list",
    `--max-count=${maxHiddenCommits}`,
    "--all",
    "--reflog",
    "--stdin",
  ];
  // It is a short way to an answer that is found in any case.
  const listed = await tryGit(git, { args, stdin: linesOf(seen.map((commit) => `^${commit}`)) });
  const hidden = listed.stdout.split("\n").filter((line) => line !== "");
  const names = hidden.map((line) => Buffer.from(line, "hex"));
  return candidates.filter(({ index }) => !names.some((name) => index.find(name) >= 0));
}

/**
 * Marks what `wanted` reach beyond `known`. Resolves with how many objects no candidate has. Throws
 * git-failed.
 */
async function markReached(
  { git, place, onProgress }: Store,
  candidates: readonly Candidate[],
  { wanted, known }: { wanted: readonly CommitHash[]; known: readonly CommitHash[] },
): Promise<number> {
  const total = candidates.reduce((sum, { index }) => sum + index.count, 0);
  let [listed, outside] = [0, 0];
  const names = new NameReader((name) => {
    let isFound = false;
    for (const { index, seen } of candidates) {
      const at = index.find(name);
      if (at < 0) continue;
      seen[at] = 1;
      isFound = true;
    }
    if (!isFound) outside++;
    if (++listed % progressEvery === 0)
      onProgress?.({ what: "Listing objects", done: listed, of: Math.max(total, listed) });
  });
  const args = [
    `--git-dir=${place.gitDir}`,
    "rev-list",
    "--objects",
    "--no-object-names",
    "--stdin",
  ];
  const stdin = linesOf([...wanted, ...known.map((commit) => `^${commit}`)]);
  const run: GitRun = { args, stdin, onStdout: (chunk) => names.read(chunk) };
  await runGit(git, run);
  return outside;
}

/** Reads names from lines of hexadecimal digits, in pieces of any length. */
class NameReader {
  readonly #onName: (name: Buffer) => void;
  readonly #name = Buffer.alloc(32);
  #digits = 0;

  /** `onName`: the bytes are others after it. */
  constructor(onName: (name: Buffer) => void) {
    this.#onName = onName;
  }

  read(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === lineFeed) {
        if (this.#digits > 0) this.#onName(this.#name.subarray(0, this.#digits >> 1));
        this.#digits = 0;
        continue;
      }
      const digit = byte >= letterA ? byte - letterA + 10 : byte - digitZero;
      const at = this.#digits++ >> 1;
      this.#name[at] = ((this.#name[at] ?? 0) << 4) | digit;
    }
  }
}

const [lineFeed, digitZero, letterA] = [10, 48, 97];

type Named = { readonly name: string; readonly index: PackIndex; readonly isShared: boolean };

async function indexesOf(store: Store): Promise<Named[]> {
  const shared = await sharedIn(store);
  const found: Named[] = [];
  for (const name of await packsIn(store)) {
    const path = join(packFolderOf(store), `${name}.idx`);
    const index = await PackIndex.read(path, store.place.objectFormat);
    if (index !== undefined) found.push({ name, index, isShared: shared.includes(name) });
  }
  return found;
}

/** Whether agents may see every object of it: those that they see already count as well. */
function isSeen({ index, seen }: Candidate, shown: readonly Named[]): boolean {
  return everyName(
    index,
    (name, at) => seen[at] === 1 || shown.some((each) => each.index.find(name) >= 0),
  );
}

/** Whether it has an object that the store would otherwise pay for. */
function isNew({ index }: Candidate, shown: readonly Named[]): boolean {
  const shared = shown.filter(({ isShared }) => isShared);
  return !everyName(index, (name) => shared.some((each) => each.index.find(name) >= 0));
}

function everyName(index: PackIndex, is: (name: Buffer, at: number) => boolean): boolean {
  for (let at = 0; at < index.count; at++) if (!is(index.name(at), at)) return false;
  return true;
}

function linesOf(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

/** `bytes`: of all packs; `sharedBytes`: of those that are files of the repository, too. */
export async function sizeOfPacks(
  store: Store,
): Promise<{ bytes: number; sharedBytes: number } | undefined> {
  const folder = packFolderOf(store);
  const files = await readdir(folder).catch(() => undefined);
  if (files === undefined) return undefined;
  const shared = await sharedIn(store);
  let [bytes, sharedBytes] = [0, 0];
  for (const file of files) {
    const size = (await stat(join(folder, file)).catch(() => undefined))?.size ?? 0;
    bytes += size;
    if (shared.includes(file.replace(/\.[a-z]+$/, ""))) sharedBytes += size;
  }
  return { bytes, sharedBytes };
}
