// The files that the whole change of an artefact touches, since the commit of its goal. The program
// that publishes the commit, or the person who posts it, has them from git, and the record keeps
// them in `metadata.changed_paths`.
import { z } from "zod";
import type { ArtefactHead } from "./artefact.ts";

/** Of a change with more, as JSON, no paths are on record. */
export const maxPathsBytes = 64 * 1024;

/**
 * Both names of a renamed file. A path that ends with `/` is a submodule: what it changes below is
 * not known.
 */
export const ChangedPaths = z.array(z.string().min(1).max(maxPathsBytes));
export type ChangedPaths = readonly string[];

/** Undefined where they are too many for the record. */
export function recordable(paths: ChangedPaths): string[] | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(paths)).byteLength;
  return bytes > maxPathsBytes ? undefined : [...paths];
}

/** Undefined where they are not on record. Only a commit changes files. */
export function changedPathsIn({ metadata }: Pick<ArtefactHead, "metadata">) {
  if (metadata.commit === undefined) return undefined;
  return ChangedPaths.safeParse(metadata.changed_paths).data;
}
