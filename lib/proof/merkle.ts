// The tree of RFC 6962, with SHA-256. Pure.
import { Buffer } from "node:buffer";
import { hash as digest } from "node:crypto";

/** 32 bytes. */
export type Hash = Uint8Array;
export const hashBytes = 32;

/** The hash above `2 ** level` leaves, of which `index * 2 ** level` is the first. */
export type ReadNode = (level: number, index: number) => Promise<Hash>;

const leafStart = Buffer.of(0);
/** The byte 1 and two hashes. */
const node = Buffer.alloc(1 + 2 * hashBytes, 1);

export function leafHash(data: string | Uint8Array): Hash {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  return digest("sha256", Buffer.concat([leafStart, bytes]), "buffer");
}

export function nodeHash(left: Hash, right: Hash): Hash {
  node.set(left, 1);
  node.set(right, 1 + hashBytes);
  return digest("sha256", node, "buffer");
}

export async function rootOf(size: number, read: ReadNode): Promise<Hash> {
  return size === 0 ? digest("sha256", "", "buffer") : await hashOfRange(0, size, read);
}

/** A tree that grows at its end: of it are kept the roots of its full parts, the largest first. */
export class GrowingTree {
  readonly #parts: Hash[] = [];
  size = 0;

  add(leaf: Hash): void {
    this.size += 1;
    let hash = leaf;
    for (let even = this.size; even % 2 === 0; even /= 2)
      hash = nodeHash(this.#parts.pop() ?? hash, hash);
    this.#parts.push(hash);
  }

  root(): Hash {
    const last = this.#parts.at(-1);
    if (last === undefined) return digest("sha256", "", "buffer");
    return this.#parts.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
  }
}

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

/** The hashes that lead from the root of the first `from` leaves, 1 at least, to that of all. */
export async function consistencyProof(
  from: number,
  size: number,
  read: ReadNode,
): Promise<Hash[]> {
  const path: Hash[] = [];
  let [begin, end] = [0, size];
  while (from < end) {
    const middle = begin + largestPowerBelow(end - begin);
    if (from <= middle) {
      path.push(await hashOfRange(middle, end, read));
      end = middle;
    } else {
      path.push(await hashOfRange(begin, middle, read));
      begin = middle;
    }
  }
  if (begin > 0) path.push(await hashOfRange(begin, end, read));
  return path.reverse();
}

/** A tree, as a checkpoint says it. */
type Tree = { size: number; root: Hash };

/** Whether the entries of the one tree, 1 at least, are the first ones of the other. */
export function isBeginning(one: Tree, of: Tree, path: readonly Hash[]): boolean {
  if (one.size < 1 || one.size > of.size) return false;
  if (one.size === of.size) return path.length === 0 && isSameHash(one.root, of.root);
  let [at, last] = [one.size - 1, of.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  const [first, ...rest] = at === 0 ? [one.root, ...path] : path;
  if (first === undefined) return false;
  let [own, whole] = [first, first];
  for (const other of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [own, whole] = [nodeHash(other, own), nodeHash(other, whole)];
      // This node has no neighbour on the levels between.
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, half(last)];
    } else {
      whole = nodeHash(whole, other);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSameHash(own, one.root) && isSameHash(whole, of.root);
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
