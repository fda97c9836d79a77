// How far the workspace of a running grant is, while it takes long to prepare. Shown to people, and
// nothing is decided by it.
import type { ClaimId } from "./ids.ts";

/** `of`: how many files are written in all. Both are 0 where nothing can be counted yet. */
export type FileCount = { files: number; of: number };

/** `at`: when this was noted, by the clock of Redis (Unix ms). */
export type Preparing = FileCount & { claim: ClaimId; attempt: number; at: number };
