// Git's index, of which some entries get what the file system says of their files now: git then
// takes these files for unchanged, whatever they have. The format is in gitformat-index(5).
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { SettError } from "../../model/errors.ts";

/** An entry begins with times, device, inode, mode, owner and size. */
const statBytes = 40;
const headerBytes = 12;
const extended = 0x4000;

/** The size of a file, by its path in latin1, as git has noted it, modulo 2^32. */
export function sizesInIndex(index: Uint8Array, hashBytes: 20 | 32): Map<string, number> {
  const bytes = Buffer.from(index);
  const sizes = new Map<string, number>();
  for (const { path, at } of entriesOf(bytes, hashBytes))
    sizes.set(path, bytes.readUInt32BE(at + 36));
  return sizes;
}

/** A copy of the index with the stats of these files, by their paths in latin1. */
export function withStats(
  index: Uint8Array,
  hashBytes: 20 | 32,
  stats: ReadonlyMap<string, BigIntStats>,
): Uint8Array {
  const bytes = Buffer.from(index);
  for (const { path, at } of entriesOf(bytes, hashBytes)) {
    const found = stats.get(path);
    if (found === undefined) continue;
    const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = found;
    const second = 1_000_000_000n;
    const numbers = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second];
    const fields = [...numbers, dev, ino, undefined, uid, gid, size];
    for (const [number, value] of fields.entries())
      if (value !== undefined)
        bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), at + 4 * number);
  }
  const end = bytes.length - hashBytes;
  const digest = createHash(hashBytes === 20 ? "sha1" : "sha256").update(bytes.subarray(0, end));
  digest.digest().copy(bytes, end);
  return bytes;
}

function* entriesOf(bytes: Buffer, hashBytes: number): Generator<{ path: string; at: number }> {
  const [magic, version] = [bytes.toString("latin1", 0, 4), bytes.readUInt32BE(4)];
  if (magic !== "DIRC" || (version !== 2 && version !== 3))
    throw new SettError("git-failed", `git has written an index of version ${version}.`);
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + statBytes + hashBytes);
    const name = at + statBytes + hashBytes + ((flags & extended) === 0 ? 2 : 4);
    const end = bytes.indexOf(0, name);
    yield { path: bytes.toString("latin1", name, end), at };
    // One to eight zero bytes, up to a multiple of eight.
    at += (end - at + 8) & ~7;
  }
}
