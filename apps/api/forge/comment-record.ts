// The record of Sett's comment on the issue of a goal, so that there is never a second one.
import { z } from "zod";
import { parseJson } from "../../../lib/model/json.ts";

/**
 * `word` is in the comment, and was nowhere before: by it the comment is found again where `id` did
 * not come onto the record. `text`: SHA-256 of what the comment says. `is_over`: nothing more comes
 * of the goal. `gone`: a person has removed the comment.
 */
export const CommentRecord = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("begins"), word: z.string(), at: z.iso.datetime() }),
  z.strictObject({
    state: z.literal("there"),
    word: z.string(),
    id: z.int(),
    text: z.string(),
    is_over: z.boolean(),
  }),
  z.strictObject({ state: z.literal("gone") }),
]);
export type CommentRecord = z.infer<typeof CommentRecord>;

/** A record that a person has changed by hand counts as `gone`: the comment is left alone. */
export function commentIn(stored: string | undefined): CommentRecord | undefined {
  if (stored === undefined) return undefined;
  return CommentRecord.safeParse(parseJson(stored)).data ?? { state: "gone" };
}
