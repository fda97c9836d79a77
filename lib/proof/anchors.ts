// What others have seen of a sealed log shows that it was not written anew
// (docs/reference/proof.md#anchors-in-git). Pure.
import { Buffer } from "node:buffer";
import type { BundleFiles } from "./archive.ts";
import { type Checkpoint, readCheckpoint } from "./formats.ts";
import { isSameHash, leafHash, nodesOf, rootOf } from "./merkle.ts";
import { openNote, type VerifierKey } from "./note.ts";

/** A checkpoint in other hands. `place`: where, for people. */
export type Anchor = { place: string; checkpoint: string };
export type AnchorProblem = { code: "anchor"; place: string; text: string };

/** `newest`: the one with most of what the bundle has. */
export type Anchored<Kind extends Anchor> = {
  newest: { anchor: Kind; size: number } | undefined;
  problems: AnchorProblem[];
};

type Bundle = {
  files: BundleFiles;
  key: VerifierKey;
  checkpoint: Checkpoint;
  isOfGoal: boolean;
};

/**
 * The bundle is without problems. A note that the key has not signed says nothing, and neither does
 * one of a later log than the bundle's, or, about a goal, of an earlier one: the bundle has not all
 * of its entries.
 */
export async function checkAnchors<Kind extends Anchor>(
  anchors: readonly Kind[],
  { files, key, checkpoint, isOfGoal }: Bundle,
): Promise<Anchored<Kind>> {
  const problems: AnchorProblem[] = [];
  let newest: Anchored<Kind>["newest"];
  const read = isOfGoal ? undefined : nodesOf(leavesOf(files));
  for (const anchor of anchors) {
    const text = openNote(anchor.checkpoint, key);
    const seen = text === undefined ? undefined : readCheckpoint(text);
    if (seen === undefined || seen.origin !== key.name || seen.size > checkpoint.size) continue;
    if (isOfGoal && seen.size !== checkpoint.size) continue;
    const root = read === undefined ? checkpoint.root : await rootOf(seen.size, read);
    if (!isSameHash(root, seen.root))
      problems.push({
        ...{ code: "anchor", place: anchor.place },
        text: `The log had other entries, of ${seen.size}, when this was seen.`,
      });
    else if (seen.size >= (newest?.size ?? 0)) newest = { anchor, size: seen.size };
  }
  return { newest, problems };
}

function leavesOf(files: BundleFiles): Uint8Array[] {
  const lines = Buffer.from(files.get("entries") ?? [])
    .toString()
    .split("\n")
    .slice(0, -1);
  return lines.map((line) => leafHash(`${line.slice(line.indexOf(" ") + 1)}\n`));
}
