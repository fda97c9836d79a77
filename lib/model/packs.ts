// The answers of the service of packs: which files the store of an instance has, and which packs
// are on the shelves of its agents.
import { z } from "zod";
import { AgentName, CommitHash } from "./ids.ts";

/** The pack of a result has at most so much, as with the largest hosts. */
export const maxPackBytes = 2 * 1024 ** 3;

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256" });

/** Below the store's folder. No name of a file or a folder begins with a dot. */
const storePath = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** A file never changes: another content is another file. */
export const StoreFile = z.strictObject({
  path: z.string().max(300).regex(storePath, { error: "must be a path below the store" }),
  bytes: z.int().min(0),
  sha256: Sha256,
});
export type StoreFile = z.infer<typeof StoreFile>;

/** All files of a store, in no order. */
export const StoreList = z.strictObject({ files: z.array(StoreFile) });
export type StoreList = z.infer<typeof StoreList>;

/** The pack of a commit on the shelf of the agent. */
export const ShelfPack = z.strictObject({
  agent: AgentName,
  commit: CommitHash,
  bytes: z.int().min(0),
});
export type ShelfPack = z.infer<typeof ShelfPack>;

export const ShelfPacks = z.array(ShelfPack);
