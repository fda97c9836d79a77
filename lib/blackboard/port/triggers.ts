// The record of triggers, so that a restart neither repeats nor forgets one. A part of the port.
import type { Actor, EventDraft } from "../../model/event.ts";
import type { GoalId } from "../../model/ids.ts";
import type { TriggerName } from "../../model/trigger.ts";

/** The place of an entry: a trigger's own record, or the goal's, which goes with it. */
export type TriggerRecord = { trigger: TriggerName } | { goal: GoalId };

export interface TriggerBoard {
  /** Reads the record of a trigger, by name; empty where nothing is. */
  readTrigger(name: TriggerName): Promise<Map<string, string>>;
  /**
   * Sets the mark to its value, and with it the fields, and logs the event, if any. `already`: the
   * mark has this value, and nothing is written.
   */
  recordTrigger(order: {
    record: TriggerRecord;
    mark: string;
    value: string;
    fields?: Readonly<Record<string, string>>;
    event?: EventDraft;
    actor: Actor;
  }): Promise<{ outcome: "recorded" | "already" }>;
  /** These marks are no longer on record of the trigger. */
  forgetMarks(name: TriggerName, marks: readonly string[]): Promise<void>;
  /** Removes what is on record of every trigger but these. Returns how many triggers it was. */
  forgetTriggers(kept: readonly TriggerName[]): Promise<number>;
}
