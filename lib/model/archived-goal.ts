// The mark of a goal that an archive has whole, while it is removed from the blackboard.
import { z } from "zod";

/** `until`: the last event that the archive may have. `state`: the goal's when it was archived. */
export const ArchivedGoal = z.strictObject({
  until: z.string(),
  state: z.enum(["achieved", "settled", "failed", "cancelled", "stalled"]),
});
export type ArchivedGoal = z.infer<typeof ArchivedGoal>;
