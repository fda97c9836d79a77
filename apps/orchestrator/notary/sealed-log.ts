// The sealed log on the notary's volume (docs/reference/proof.md#the-sealed-log). It only grows:
// what is beyond the checkpoint was never signed, and is written again after a crash.
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  checkpointText,
  entryOf,
  entryText,
  jsonObject,
  lostType,
  noGoal,
  ownPlace,
  readEntry,
  readRecord,
  recordText,
  type SealedRecord,
} from "../../../lib/proof/formats.ts";
import {
  consistencyProof,
  type Hash,
  hashBytes,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
} from "../../../lib/proof/merkle.ts";
import type { OwnKeys } from "./own-keys.ts";
import { type SealedFiles, tileWidth } from "./sealed-files.ts";

/** The levels of the tree that one tile has. */
const tileLevels = 8;
/** Full tiles that are kept in memory: proofs about one goal need the same ones. */
const maxTiles = 64;
/** Nodes that are kept, for the same reason: one may be made of 255 others. */
const maxNodes = 4_096;
/** Goals whose number of entries is kept: those at work. */
const maxCounts = 10_000;

export type Sealed = { index: number; entry: string; record: string };

export class SealedLog {
  readonly #files: SealedFiles;
  readonly #keys: OwnKeys;
  /** Of each level of tiles, the hashes of the one that is not full. */
  readonly #open: Hash[][] = [];
  readonly #tiles = new Map<string, Buffer>();
  readonly #nodes = new Map<string, Hash>();
  /** How many entries each goal has, of those that were asked for last. */
  readonly #counts = new Map<string, number>();
  /** The file that was read last. */
  #lines: { file: number; entries: string[]; records: string[] } | undefined;
  #size = 0;
  #lastPlace = "0";

  private constructor(files: SealedFiles, keys: OwnKeys) {
    this.#files = files;
    this.#keys = keys;
  }

  /** At this size: what is beyond it does not count, and is removed where this program writes. */
  static async open(
    files: SealedFiles,
    keys: OwnKeys,
    { size, isWriter }: { size: number; isWriter: boolean },
  ): Promise<SealedLog> {
    const log = new SealedLog(files, keys);
    if (isWriter) await log.#removeUnsigned(size);
    await log.#readTree(size);
    return log;
  }

  get size(): number {
    return this.#size;
  }

  /** Of the last event that is sealed and that Redis has not lost; `0` before the first. */
  get lastPlace(): string {
    return this.#lastPlace;
  }

  async append(events: readonly Omit<SealedRecord, "salt">[]): Promise<void> {
    for (let at = 0; at < events.length; ) {
      const room = tileWidth - (this.#size % tileWidth);
      await this.#appendToFile(events.slice(at, at + room));
      at += room;
    }
    if (events.some(({ place, type }) => place === ownPlace && type === lostType))
      await this.#findLastPlace();
  }

  /** The checkpoint of all that is appended, signed. */
  async sign(): Promise<string> {
    return this.#keys.signCheckpoint(await this.checkpointText());
  }

  async checkpointText(): Promise<string> {
    const root = await rootOf(this.#size, this.#readNode);
    return checkpointText({ origin: this.#keys.name, size: this.#size, root });
  }

  /** By rising index. */
  async *entriesOf(goal: string): AsyncGenerator<Sealed> {
    for (const index of await this.#files.readIndexes(goal))
      if (index < this.#size) yield await this.#readEntry(index);
  }

  async *all(from = 0): AsyncGenerator<Sealed> {
    for (let index = from; index < this.#size; index++) yield await this.#readEntry(index);
  }

  async read(index: number): Promise<Sealed> {
    return await this.#readEntry(index);
  }

  /** How the first `from` entries, 1 at least, are the beginning of all. */
  async consistency(from: number): Promise<Hash[]> {
    return await consistencyProof(from, this.#size, this.#readNode);
  }

  async prove(index: number): Promise<Hash[]> {
    return await inclusionProof(index, this.#size, this.#readNode);
  }

  /**
   * A crash has left lines behind those that are signed, and indexes in files of their goals. Where
   * another one comes in between, what is left is found again: the goals are known by the entries,
   * and no file is left behind one that is not there.
   */
  async #removeUnsigned(size: number): Promise<void> {
    const [first, keep] = [Math.floor(size / tileWidth), size % tileWidth];
    const goals = new Set<string>();
    let end = first;
    for (; await this.#files.hasAny(end); end++) {
      const entries = await this.#files.readLines("entries", end);
      for (const line of entries.slice(end === first ? keep : 0))
        goals.add(readEntry(`${line}\n`)?.goal ?? noGoal);
    }
    for (const goal of goals) {
      const indexes = await this.#files.readIndexes(goal);
      await this.#files.writeIndexes(
        goal,
        indexes.filter((index) => index < size),
      );
    }
    for (let file = end - 1; file >= first; file--)
      for (const kind of ["entries", "records"] as const) {
        const lines = await this.#files.readLines(kind, file);
        await this.#files.cutLines(kind, file, lines.slice(0, file === first ? keep : 0));
      }
  }

  async #readTree(size: number): Promise<void> {
    const [file, lines] = [Math.floor(size / tileWidth), size % tileWidth];
    const entries = (await this.#files.readLines("entries", file)).slice(0, lines);
    this.#open.push(entries.map((entry) => leafHash(`${entry}\n`)));
    for (let [level, below] = [1, file]; below > 0; level++) {
      const full = Math.floor(below / tileWidth);
      const hashes: Hash[] = [];
      for (let tile = full * tileWidth; tile < below; tile++)
        hashes.push(folded(hashesOf(await this.#tile(level - 1, tile))));
      this.#open.push(hashes);
      below = full;
    }
    this.#size = size;
    await this.#findLastPlace();
  }

  /** The notary's own entries may be the last ones, and say which ones before them Redis lost. */
  async #findLastPlace(): Promise<void> {
    this.#lastPlace = "0";
    const lost: { first: number; last: number }[] = [];
    for (let index = this.#size - 1; index >= 0; index--) {
      const { entry, record } = await this.#readEntry(index);
      const { place = ownPlace, type } = readEntry(entry) ?? {};
      if (place === ownPlace && type === lostType) lost.push(...lostBy(record));
      if (place === ownPlace || lost.some(({ first, last }) => first <= index && index <= last))
        continue;
      this.#lastPlace = place;
      return;
    }
  }

  /** All of them go into one file. */
  async #appendToFile(events: readonly Omit<SealedRecord, "salt">[]): Promise<void> {
    const file = Math.floor(this.#size / tileWidth);
    const [entries, records]: [string[], string[]] = [[], []];
    const ofGoals = new Map<string, number[]>();
    for (const [at, { place, type, event }] of events.entries()) {
      const record = { salt: randomBytes(16).toString("hex"), place, type, event };
      const text = recordText(record);
      const said = entryOf(record, text);
      const number = (await this.#countOf(said.goal)) + 1;
      keepLast(this.#counts, said.goal, number, maxCounts);
      ofGoals.set(said.goal, [...(ofGoals.get(said.goal) ?? []), this.#size + at]);
      entries.push(entryText({ ...said, number }).slice(0, -1));
      records.push(text);
      if (place !== ownPlace) this.#lastPlace = place;
    }
    await this.#files.appendLines("records", file, records);
    await this.#files.appendLines("entries", file, entries);
    await Promise.all(
      [...ofGoals].map(([goal, indexes]) => this.#files.appendIndexes(goal, indexes)),
    );
    for (const entry of entries) await this.#addHash(0, leafHash(`${entry}\n`));
    this.#size += events.length;
  }

  async #countOf(goal: string): Promise<number> {
    const known = this.#counts.get(goal);
    if (known !== undefined) return known;
    return (await this.#files.readIndexes(goal)).length;
  }

  async #addHash(level: number, hash: Hash): Promise<void> {
    const hashes = this.#open[level] ?? [];
    this.#open[level] = hashes;
    hashes.push(hash);
    if (hashes.length < tileWidth) return;
    const tile = Buffer.concat(hashes);
    const upper = this.#open[level + 1] ?? [];
    await this.#files.writeTile(level, this.#fullTiles(level), tile);
    this.#open[level] = [];
    this.#open[level + 1] = upper;
    await this.#addHash(level + 1, folded(hashes));
  }

  /** How many full tiles a level has: the hashes of the levels above say so. */
  #fullTiles(level: number): number {
    let [count, unit] = [0, 1];
    for (const hashes of this.#open.slice(level + 1)) {
      count += hashes.length * unit;
      unit *= tileWidth;
    }
    return count;
  }

  /** A node never changes, for it is asked for only where all that is below it is there. */
  readonly #readNode = async (level: number, index: number): Promise<Hash> => {
    const name = `${level} ${index}`;
    const hash = this.#nodes.get(name) ?? (await this.#makeNode(level, index));
    keepLast(this.#nodes, name, hash, maxNodes);
    return hash;
  };

  async #makeNode(level: number, index: number): Promise<Hash> {
    const ofTile = Math.floor(level / tileLevels);
    const width = 2 ** (level % tileLevels);
    const [tile, from] = [Math.floor((index * width) / tileWidth), (index * width) % tileWidth];
    const hashes =
      tile < this.#fullTiles(ofTile)
        ? hashesOf(await this.#tile(ofTile, tile))
        : (this.#open[ofTile] ?? []);
    return folded(hashes.slice(from, from + width));
  }

  async #tile(level: number, tile: number): Promise<Buffer> {
    const name = `${level} ${tile}`;
    const bytes = this.#tiles.get(name) ?? (await this.#files.readTile(level, tile));
    keepLast(this.#tiles, name, bytes, maxTiles);
    return bytes;
  }

  async #readEntry(index: number): Promise<Sealed> {
    const [file, line] = [Math.floor(index / tileWidth), index % tileWidth];
    if (this.#lines?.file !== file || line >= this.#lines.entries.length) {
      const [entries, records] = await Promise.all([
        this.#files.readLines("entries", file),
        this.#files.readLines("records", file),
      ]);
      this.#lines = { file, entries, records };
    }
    const { entries, records } = this.#lines;
    return { index, entry: `${entries[line]}\n`, record: records[line] ?? "" };
  }
}

/** The checkpoint of such a tree, unsigned; undefined where the volume has not all of it. */
export async function checkpointTextAt(
  size: number,
  files: SealedFiles,
  keys: OwnKeys,
): Promise<string | undefined> {
  try {
    const sealed = await SealedLog.open(files, keys, { size, isWriter: false });
    return await sealed.checkpointText();
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}

/** As the last one of `max`; the one that was longest not asked for goes. */
function keepLast<Value>(kept: Map<string, Value>, name: string, value: Value, max: number): void {
  kept.delete(name);
  kept.set(name, value);
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}

/** The entries whose events Redis has lost, by a record that says so. */
function lostBy(record: string): { first: number; last: number }[] {
  const { first, last } = jsonObject(readRecord(record)?.event ?? "") ?? {};
  return typeof first === "number" && typeof last === "number" ? [{ first, last }] : [];
}

function hashesOf(tile: Buffer): Hash[] {
  return Array.from({ length: tileWidth }, (_, at) =>
    tile.subarray(at * hashBytes, (at + 1) * hashBytes),
  );
}

/** The root of a power of two of hashes. */
function folded(hashes: readonly Hash[]): Hash {
  const [left = Buffer.alloc(hashBytes), right] = hashes;
  if (right === undefined) return left;
  const half = hashes.length / 2;
  return nodeHash(folded(hashes.slice(0, half)), folded(hashes.slice(half)));
}
