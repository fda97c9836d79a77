// Git's index, read and changed without a git. Entries can get what the file system says of their
// files now: git then takes these files for unchanged, whatever they have. The format is in
// gitformat-index(5).
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { SettError } from "../../model/errors.ts";

export type HashBytes = 20 | 32;

/**
 * Is only good until the next one is read: a large index has too many to keep. `mode`: as git has
 * it, a number. `isSkipped`: a sparse checkout leaves the file out. `changedAt`: when the file was
 * last changed as git has noted it, the later one of its two times, whole Unix seconds.
 */
export interface IndexEntry {
  readonly mode: number;
  readonly isSkipped: boolean;
  readonly changedAt: number;
  /** As git has noted it, modulo 2^32. */
  readonly size: number;
  /** In latin1, one character for each byte. */
  path(): string;
  /** The name of its blob, or of a submodule's commit. */
  object(): string;
}

/** The modes of git for what is no plain file. */
export const kinds = { submodule: 0o160000, program: 0o100755, link: 0o120000 } as const;

/** An entry begins with times, device, inode, mode, owner and size. */
const [mtimeAt, modeAt, sizeAt, statBytes] = [8, 24, 36, 40];
const headerBytes = 12;
const extended = 0x4000;
const skipWorktree = 0x4000;
const lengthMask = 0xfff;

/** In the order of git, by the bytes of their paths. */
export function* entriesOf(index: Uint8Array, hashBytes: HashBytes): Generator<IndexEntry> {
  for (const entry of placesIn(bufferOf(index), hashBytes)) yield entry;
}

/** The size of a file, by its path in latin1, as git has noted it, modulo 2^32. */
export function sizesInIndex(index: Uint8Array, hashBytes: HashBytes): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const entry of placesIn(bufferOf(index), hashBytes)) sizes.set(entry.path(), entry.size);
  return sizes;
}

/** A copy of the index with the stats of these files, by their paths in latin1. */
export function withStats(
  index: Uint8Array,
  hashBytes: HashBytes,
  stats: ReadonlyMap<string, BigIntStats>,
): Uint8Array {
  const bytes = Buffer.from(index);
  for (const entry of placesIn(bytes, hashBytes)) {
    const found = stats.get(entry.path());
    if (found === undefined) continue;
    const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = found;
    const second = 1_000_000_000n;
    const numbers = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second];
    const fields = [...numbers, dev, ino, undefined, uid, gid, size];
    for (const [number, value] of fields.entries())
      if (value !== undefined)
        bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), entry.at + 4 * number);
  }
  const end = bytes.length - hashBytes;
  const digest = createHash(hashBytes === 20 ? "sha1" : "sha256").update(bytes.subarray(0, end));
  digest.digest().copy(bytes, end);
  return bytes;
}

/** One object for all entries, which moves from each to the next. */
class Place implements IndexEntry {
  readonly #bytes: Buffer;
  readonly #hashBytes: number;
  at = headerBytes;

  constructor(bytes: Buffer, hashBytes: number) {
    this.#bytes = bytes;
    this.#hashBytes = hashBytes;
  }

  get mode(): number {
    return this.#bytes.readUInt32BE(this.at + modeAt);
  }

  get isSkipped(): boolean {
    const more = this.#flagsAt + 2;
    return this.#isExtended && (this.#bytes.readUInt16BE(more) & skipWorktree) !== 0;
  }

  get changedAt(): number {
    const [ctime, mtime] = [this.#bytes.readUInt32BE(this.at), this.#numberAt(mtimeAt)];
    return Math.max(ctime, mtime);
  }

  get size(): number {
    return this.#numberAt(sizeAt);
  }

  path(): string {
    return this.#bytes.toString("latin1", this.#nameAt, this.#nameEnd);
  }

  object(): string {
    return this.#bytes.toString("hex", this.at + statBytes, this.#flagsAt);
  }

  next(): void {
    // One to eight zero bytes, up to a multiple of eight.
    this.at += (this.#nameEnd - this.at + 8) & ~7;
  }

  #numberAt(offset: number): number {
    return this.#bytes.readUInt32BE(this.at + offset);
  }

  get #flagsAt(): number {
    return this.at + statBytes + this.#hashBytes;
  }

  get #isExtended(): boolean {
    return (this.#bytes.readUInt16BE(this.#flagsAt) & extended) !== 0;
  }

  get #nameAt(): number {
    return this.#flagsAt + (this.#isExtended ? 4 : 2);
  }

  /** A length that does not fit is noted as the longest one that does. */
  get #nameEnd(): number {
    const length = this.#bytes.readUInt16BE(this.#flagsAt) & lengthMask;
    return length < lengthMask ? this.#nameAt + length : this.#bytes.indexOf(0, this.#nameAt);
  }
}

function* placesIn(bytes: Buffer, hashBytes: HashBytes): Generator<Place> {
  const [magic, version] = [bytes.toString("latin1", 0, 4), bytes.readUInt32BE(4)];
  if (magic !== "DIRC" || (version !== 2 && version !== 3))
    throw new SettError("git-failed", `git has written an index of version ${version}.`);
  const place = new Place(bytes, hashBytes);
  for (let left = bytes.readUInt32BE(8); left > 0; left--, place.next()) yield place;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
