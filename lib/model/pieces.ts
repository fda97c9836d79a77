// Pieces of work: a result may be a list of artefacts, each with a claim of its own, and the list's
// claim is opened when all work on them has ended (docs/guides/pieces.md).
import { z } from "zod";
import { ArtefactId } from "./ids.ts";

/** A result has at most so many pieces. */
export const maxPieces = 200;

/** UTF-16 units of a piece's key. */
export const maxKeyLength = 200;

/** `metadata.pieces` of a list names its pieces so, in the order in which the command gave them. */
export const Piece = z.strictObject({ key: z.string().min(1).max(maxKeyLength), id: ArtefactId });
export type Piece = z.infer<typeof Piece>;

/**
 * `results`: the newest versions that the work on the piece has led to, those alone whose claims
 * are complete. `failures`: Failures that no later work has superseded. Both are in the order in
 * which they were posted.
 */
export const EndedPiece = z.strictObject({
  ...Piece.shape,
  results: z.array(ArtefactId),
  failures: z.array(ArtefactId),
});
export type EndedPiece = z.infer<typeof EndedPiece>;
