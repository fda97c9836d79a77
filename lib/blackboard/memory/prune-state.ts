// What the memory blackboard remembers of what was removed from it.
import type { GoalId } from "../../model/ids.ts";
import type { KnownArchive } from "../port/prune.ts";

export class PruneState {
  /** Goals that are being removed from the blackboard. */
  readonly retired = new Set<GoalId>();
  /** How many events were ever appended, and how many a function has removed. */
  added = 0;
  removed = 0;
  /** By their digests. */
  readonly archives = new Map<string, KnownArchive>();
}
