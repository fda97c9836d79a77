// Removes goals that are over from the blackboard, once they are stored elsewhere. A part of the
// port.
import { z } from "zod";
import type { ArchivedGoal } from "../../model/archived-goal.ts";
import type { Actor, EventDraft } from "../../model/event.ts";
import type { GoalId } from "../../model/ids.ts";

/**
 * `file`: its name, without folders. `sha256`: of its content before its last line, in hexadecimal.
 */
export const KnownArchive = z.object({
  file: z.string(),
  sha256: z.string(),
  created_at: z.string(),
});
export type KnownArchive = z.infer<typeof KnownArchive>;

export function inOrder(archives: readonly KnownArchive[]): KnownArchive[] {
  return archives.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
}

export interface PruneBoard {
  /**
   * From now on nothing is stored, opened, queued or accepted for the goal. `changed`: it has other
   * numbers of artefacts or claims, a claim is open, or a question waits for a person. A repeat
   * changes nothing.
   */
  retireGoal(order: {
    goal: GoalId;
    artefacts: number;
    claims: number;
  }): Promise<{ outcome: "retired" | "changed" }>;
  /** Undoes `retireGoal`. */
  reinstateGoal(goal: GoalId): Promise<void>;
  isRetired(goal: GoalId): Promise<boolean>;
  /**
   * Removes at most `limit` artefacts of a retired goal, the newest first, with their claims and
   * all that belongs to these; with the last one the goal itself. `left`: how many artefacts it
   * still has. Removes nothing of a goal that is not retired: then `left` is all of them.
   */
  removeOfGoal(goal: GoalId, limit: number): Promise<{ left: number }>;
  /** Removes events from the log; returns how many of them were there. */
  removeEvents(ids: readonly string[]): Promise<number>;
  /** The same, as the leader does it with old events of no goal. */
  removeOldEvents(
    ids: readonly string[],
    epoch: number,
  ): Promise<{ outcome: "removed" | "fenced" }>;
  /** Forgets why results were refused. */
  forgetRefused(epoch: number): Promise<{ outcome: "forgotten" | "fenced" }>;
  /**
   * Remembers a file into which goals are moved, and logs the event with it. A repeat logs it
   * again. `marks`: of its goals, which are retired: from now on they need only be removed.
   */
  recordArchive(
    archive: KnownArchive,
    marks: ReadonlyMap<GoalId, ArchivedGoal>,
    event: EventDraft,
    actor: Actor,
  ): Promise<void>;
  /** All files into which goals of this instance were ever moved, by their digests. */
  listArchives(): Promise<KnownArchive[]>;
}
