// A lane: a branch of an instance onto which an agent merges the results of goals, one after the
// other (docs/guides/lane.md).
import { z } from "zod";
import { CommitHash } from "./ids.ts";

/** The name is the last part of a git ref, and a field in Redis. */
export const LaneName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
  error: "must be lower-case letters, digits and `-`, at most 40 characters",
});
export type LaneName = z.infer<typeof LaneName>;

const Gate = z
  .array(
    z.string().refine((text) => !text.includes("\0"), { error: "must not contain NUL" }),
    {
      error: ({ input }) =>
        typeof input === "string"
          ? 'must be a list: `["/app/test.sh"]`, or `["sh", "-c", "…"]` for a shell'
          : undefined,
    },
  )
  .min(1, { error: "must not be empty: its first entry is the program" })
  .refine((words) => words[0] !== "", { path: [0], error: "must name a program" });

/** `method`: a commit with two parents, or one commit without those of the goal. */
export const LaneMerge = z.strictObject({
  method: z
    .enum(["merge", "squash"])
    .default("merge")
    .describe("A merge commit, or one commit without those of the goal."),
  gates: z
    .array(Gate)
    .max(20)
    .default([])
    .describe(
      "Commands that run on the merged result, one after the other: with another exit code than 0 the work goes back to its producer.",
    ),
});
export type LaneMerge = z.infer<typeof LaneMerge>;

/** The cub's variable has this as JSON. */
export const LaneSettings = LaneMerge.extend({ name: LaneName });
export type LaneSettings = z.infer<typeof LaneSettings>;

/** The type of the Terminal with which a lane moves. No other work may end with it. */
export const landedType = "Landed";

/**
 * The metadata of a `Landed`: the lane moves from `onto`, empty where it has not begun, to
 * `commit`. `reverted_by`: the person whose commit has taken the goal back from it.
 */
const LaneMove = z.object({
  lane: LaneName,
  onto: z.union([CommitHash, z.literal("")]),
  commit: CommitHash,
  reverted_by: z.string().optional(),
});
export type LaneMove = z.infer<typeof LaneMove>;

/** Undefined for what moves no lane. */
export function laneMoveOf({
  type,
  metadata,
}: {
  type: string;
  metadata: unknown;
}): LaneMove | undefined {
  return type === landedType ? LaneMove.safeParse(metadata).data : undefined;
}

/** The lane from which this commit of a person's takes its goal back; undefined for any other. */
export function revertedLaneOf({
  produced_by_agent: agent,
  metadata: { reverts },
}: {
  produced_by_agent: string;
  metadata: Record<string, unknown>;
}): LaneName | undefined {
  return agent === "" ? LaneName.safeParse(reverts).data : undefined;
}
