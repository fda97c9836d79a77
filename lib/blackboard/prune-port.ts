// Taking goals that are over off the blackboard, once they stand elsewhere. A part of the port.
import type { GoalId } from "../model/ids.ts";

export interface PruneBoard {
  /**
   * From here on nothing is stored, opened, queued or accepted for the goal. `changed`: it has not just so many artefacts and claims, a claim is
   * open, or a person is asked. Done twice it is done once.
   */
  retireGoal(order: { goal: GoalId; artefacts: number; claims: number }): Promise<{ outcome: "retired" | "changed" }>;
  /** Takes that back. */
  reinstateGoal(goal: GoalId): Promise<void>;
  isRetired(goal: GoalId): Promise<boolean>;
  /**
   * Removes at most `most` artefacts of a retired goal, the newest first, with their claims and all that belongs to these; with the last one the
   * goal itself. `left`: how many artefacts it still has. Refuses to touch a goal that is not retired: then `left` is all of them.
   */
  removeOfGoal(goal: GoalId, most: number): Promise<{ left: number }>;
  /** Removes events from the log; the number of those that were there. */
  removeEvents(ids: readonly string[]): Promise<number>;
}
