// What others have seen of a sealed log shows that it was not written anew
// (docs/reference/proof.md#anchors-in-git). Pure.
import type { BundleFiles } from "./archive.ts";
import type { Checkpoint } from "./formats.ts";
import type { LogKeys } from "./log-keys.ts";
import { GrowingTree, type Hash, isSameHash, leafHash } from "./merkle.ts";

/** A checkpoint in other hands. `place`: where, for people. */
export type Anchor = { place: string; checkpoint: string };
export type AnchorProblem = { code: "anchor"; place: string; text: string };

/** `newest`: the one with most of what the bundle has. */
export type Anchored<Kind extends Anchor> = {
  newest: { anchor: Kind; size: number } | undefined;
  problems: AnchorProblem[];
};

/** `seen`: what the anchor says. */
type Comparable<Kind> = { anchor: Kind; seen: Checkpoint };

type Bundle = {
  files: BundleFiles;
  keys: LogKeys;
  checkpoint: Checkpoint;
  isOfGoal: boolean;
};

/**
 * The bundle is without problems. A note that no key of the log has signed says nothing, and
 * neither does one of a later log than the bundle's, or, about a goal, of an earlier one: the
 * bundle has not all of its entries.
 */
export async function checkAnchors<Kind extends Anchor>(
  anchors: readonly Kind[],
  { files, keys, checkpoint, isOfGoal }: Bundle,
): Promise<Anchored<Kind>> {
  const problems: AnchorProblem[] = [];
  const comparable: Comparable<Kind>[] = [];
  for (const anchor of anchors) {
    const seen = keys.openCheckpoint(anchor.checkpoint)?.checkpoint;
    if (seen === undefined || seen.origin !== keys.name || seen.size > checkpoint.size) continue;
    if (!isOfGoal || seen.size === checkpoint.size) comparable.push({ anchor, seen });
  }
  const sizes = new Set(comparable.map(({ seen }) => seen.size));
  const roots = isOfGoal
    ? new Map([[checkpoint.size, checkpoint.root]])
    : await rootsOf(files, sizes);
  let newest: Anchored<Kind>["newest"];
  for (const { anchor, seen } of comparable) {
    const root = roots.get(seen.size);
    if (root === undefined || !isSameHash(root, seen.root))
      problems.push({
        ...{ code: "anchor", place: anchor.place },
        text: `The log had other entries, of ${seen.size}, when this was seen.`,
      });
    else if (seen.size >= (newest?.size ?? 0)) newest = { anchor, size: seen.size };
  }
  return { newest, problems };
}

/** The root that the log had at each of these sizes. */
async function rootsOf(files: BundleFiles, sizes: ReadonlySet<number>): Promise<Map<number, Hash>> {
  const tree = new GrowingTree();
  const roots = new Map([[0, tree.root()]]);
  const most = Math.max(0, ...sizes);
  for await (const lines of files.get("entries")?.lines() ?? [])
    for (const line of lines) {
      if (tree.size === most) return roots;
      tree.add(leafHash(line.subarray(line.indexOf(" ") + 1)));
      if (sizes.has(tree.size)) roots.set(tree.size, tree.root());
    }
  return roots;
}
