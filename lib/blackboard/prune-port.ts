// Removes goals that are over from the blackboard, once they are stored elsewhere. A part of the port.
import type { GoalId } from "../model/ids.ts";

export interface PruneBoard {
  /**
   * From now on nothing is stored, opened, queued or accepted for the goal. `changed`: it has other numbers of artefacts or claims, a claim
   * is open, or a question waits for a person. A repeat changes nothing.
   */
  retireGoal(order: { goal: GoalId; artefacts: number; claims: number }): Promise<{ outcome: "retired" | "changed" }>;
  /** Undoes `retireGoal`. */
  reinstateGoal(goal: GoalId): Promise<void>;
  isRetired(goal: GoalId): Promise<boolean>;
  /**
   * Removes at most `limit` artefacts of a retired goal, the newest first, with their claims and all that belongs to these; with the last
   * one the goal itself. `left`: how many artefacts it still has. Removes nothing of a goal that is not retired: then `left` is all of
   * them.
   */
  removeOfGoal(goal: GoalId, limit: number): Promise<{ left: number }>;
  /** Removes events from the log; returns how many of them were there. */
  removeEvents(ids: readonly string[]): Promise<number>;
}
