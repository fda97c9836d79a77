// The tree of RFC 6962, with SHA-256. Pure.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** 32 bytes. */
export type Hash = Uint8Array;
export const hashBytes = 32;

/** The hash above `2 ** level` leaves, of which `index * 2 ** level` is the first. */
export type ReadNode = (level: number, index: number) => Promise<Hash>;

const leafByte = new Uint8Array([0]);
const nodeByte = new Uint8Array([1]);

export function leafHash(data: string): Hash {
  return createHash("sha256").update(leafByte).update(data).digest();
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return createHash("sha256").update(nodeByte).update(left).update(right).digest();
}

export async function rootOf(size: number, read: ReadNode): Promise<Hash> {
  return size === 0 ? createHash("sha256").digest() : await hashOfRange(0, size, read);
}

/** Of a tree that is whole in memory. */
export function nodesOf(leaves: readonly Hash[]): ReadNode {
  let hashes = leaves;
  const levels = [hashes];
  while (hashes.length > 1) {
    const below = hashes;
    hashes = Array.from({ length: Math.floor(below.length / 2) }, (_, at) =>
      nodeHash(below[at * 2] ?? emptyHash, below[at * 2 + 1] ?? emptyHash),
    );
    levels.push(hashes);
  }
  return async (level, index) => levels[level]?.[index] ?? emptyHash;
}

/** No node has it. */
const emptyHash = new Uint8Array();

/** The hashes beside the way from the leaf to the root, the lowest first. */
export async function inclusionProof(index: number, size: number, read: ReadNode): Promise<Hash[]> {
  const path: Hash[] = [];
  for (let [from, to] = [0, size]; to - from > 1; ) {
    const middle = from + largestPowerBelow(to - from);
    if (index < middle) {
      path.push(await hashOfRange(middle, to, read));
      to = middle;
    } else {
      path.push(await hashOfRange(from, middle, read));
      from = middle;
    }
  }
  return path.reverse();
}

/** The root to which a proof leads; undefined where it is too short or too long for such a tree. */
export function rootByProof(
  leaf: Hash,
  { index, size, path }: { index: number; size: number; path: readonly Hash[] },
): Hash | undefined {
  if (index >= size) return undefined;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const other of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(other, hash);
      // This node has no neighbour on the levels between.
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, half(last)];
    } else {
      hash = nodeHash(hash, other);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : undefined;
}

export function isSameHash(one: Hash, other: Hash): boolean {
  return Buffer.from(one).equals(other);
}

/** The leaves from `from` on, before `to`; `from` is a multiple of the next power of two. */
async function hashOfRange(from: number, to: number, read: ReadNode): Promise<Hash> {
  const count = to - from;
  const below = largestPowerBelow(count + 1);
  if (below === count) return await read(Math.log2(count), from / count);
  const middle = from + below;
  return nodeHash(await hashOfRange(from, middle, read), await hashOfRange(middle, to, read));
}

/** Of two. `count` is 2 at least. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function half(count: number): number {
  return Math.floor(count / 2);
}
