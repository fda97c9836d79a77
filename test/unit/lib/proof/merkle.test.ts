import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  consistencyProof,
  GrowingTree,
  inclusionProof,
  isBeginning,
  isSameHash,
  leafHash,
  nodeHash,
  rootByProof,
  rootOf,
} from "../../../../lib/proof/merkle.ts";
import { nodeReader } from "../../../support/proof/bundle.ts";

const leaves = (count: number) =>
  Array.from({ length: count }, (_, at) => leafHash(`entry ${at}\n`));
const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");

describe("the tree of RFC 6962", () => {
  test("has the hashes that the document defines", async () => {
    expect(hex(await rootOf(0, nodeReader([])))).toBe(createHash("sha256").digest("hex"));
    expect(hex(leafHash(""))).toBe(createHash("sha256").update("\0").digest("hex"));
    const [a, b, c] = [leafHash("a"), leafHash("b"), leafHash("c")];
    expect(hex(await rootOf(1, nodeReader([a])))).toBe(hex(a));
    // Of three leaves the first two are below one node.
    expect(hex(await rootOf(3, nodeReader([a, b, c])))).toBe(hex(nodeHash(nodeHash(a, b), c)));
  });

  test("has the same root where it grows leaf by leaf", async () => {
    const tree = new GrowingTree();
    for (let size = 0; size <= 40; size++) {
      expect([tree.size, hex(tree.root())]).toEqual([
        size,
        hex(await rootOf(size, nodeReader(leaves(size)))),
      ]);
      tree.add(leafHash(`entry ${size}\n`));
    }
  });

  test("leads from each leaf of each size to its root, and from no other leaf or index", async () => {
    for (let size = 1; size <= 40; size++) {
      const read = nodeReader(leaves(size));
      const root = await rootOf(size, read);
      for (const [index, leaf] of leaves(size).entries()) {
        const path = await inclusionProof(index, size, read);
        const led = rootByProof(leaf, { index, size, path });
        expect(led !== undefined && isSameHash(led, root)).toBe(true);
        const wrong = [
          rootByProof(leafHash("other"), { index, size, path }),
          rootByProof(leaf, { index, size, path: path.slice(1) }),
          rootByProof(leaf, { index, size, path: [...path, root] }),
          rootByProof(leaf, { index: size, size, path }),
          ...(size > 1 ? [rootByProof(leaf, { index: (index + 1) % size, size, path })] : []),
        ];
        for (const other of path.length === 0 ? [] : wrong)
          expect(other !== undefined && isSameHash(other, root)).toBe(false);
      }
    }
  });
});

test("a tree is shown to be the beginning of another one, and of no other", async () => {
  const all = leaves(40);
  const treeOf = async (size: number, first = all[0]) => {
    const read = nodeReader([first ?? leafHash(""), ...all.slice(1, size)]);
    return { read, size, root: await rootOf(size, read) };
  };
  for (let size = 1; size <= 40; size++) {
    const whole = await treeOf(size);
    for (let from = 1; from <= size; from++) {
      const path = await consistencyProof(from, size, whole.read);
      const beginning = await treeOf(from);
      expect([from, size, isBeginning(beginning, whole, path)]).toEqual([from, size, true]);
      const other = await treeOf(from, leafHash("another"));
      expect([from, size, isBeginning(other, whole, path)]).toEqual([from, size, false]);
      const more = [...path, leafHash("more")];
      expect([from, size, isBeginning(beginning, whole, more)]).toEqual([from, size, false]);
      const less = path.length > 0 && isBeginning(beginning, whole, path.slice(0, -1));
      expect([from, size, less]).toEqual([from, size, false]);
    }
  }
});
