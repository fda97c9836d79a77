// A layer: a checkout that was made once, for workers to begin with (docs/internals/layers.md).
import { z } from "zod";
import { CommitHash } from "./ids.ts";

/** The folder that has the files of the commit. */
export const treeFolder = "tree";

/**
 * The file beside them that says what they are. `folders`, `hidden`, `attributes`, `pointers` and
 * paths: in latin1, one character for each byte. `hidden`: what is left out, where the files are
 * only a part of the commit's; `part` says which one, and is empty for all. `bytes`: of the files
 * in git, `content_bytes` of those in LFS. `written_ms`, `written_ns`: Unix time, when the index
 * was last changed. A submodule without a `note` is an empty folder.
 */
export const LayerNote = z.strictObject({
  base: CommitHash,
  folders: z.array(z.string()),
  hidden: z.array(z.string()),
  part: z.string(),
  attributes: z.string(),
  pointers: z.array(z.strictObject({ path: z.string(), oid: z.string(), size: z.number() })),
  bytes: z.number(),
  content_bytes: z.number(),
  written_ms: z.number(),
  written_ns: z.string().regex(/^\d+$/),
  get submodules() {
    return z.array(
      z.strictObject({ path: z.string(), commit: CommitHash, note: LayerNote.optional() }),
    );
  },
});
export type LayerNote = z.infer<typeof LayerNote>;

/**
 * A checkout that is kept in its own workspace (docs/internals/git.md#what-is-kept). `root`: the
 * inode of the workspace. `indexes`: the lengths and SHA-256 of git's own records, the submodules'
 * by their numbers.
 */
export const KeptNote = z.strictObject({
  root: z.string(),
  note: LayerNote,
  indexes: z.record(z.string(), z.strictObject({ bytes: z.number(), sha256: z.string() })),
});
export type KeptNote = z.infer<typeof KeptNote>;
