// What is on record of triggers, in memory.
import type { GoalId } from "../../model/ids.ts";
import type { TriggerName } from "../../model/trigger.ts";

/** Each has its marks: name → value. */
export class TriggerState {
  readonly triggers = new Map<TriggerName, Map<string, string>>();
  /** Of goals that a trigger has made. */
  readonly goals = new Map<GoalId, Map<string, string>>();
}
