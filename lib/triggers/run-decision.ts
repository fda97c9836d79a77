// Decides what is to be done about a cron trigger now, by its record. Pure.
import type { CronTrigger } from "../model/trigger.ts";
import { dueRuns, runBefore } from "./cron-times.ts";

/** A run that begins later than this was missed: no program looked when it was its time. */
export const onTimeMs = 60_000;

/**
 * The record of a trigger. `from`: the last run that is dealt with, or since when this expression
 * is known.
 */
export type CronRecord = { schedule: string; from: Date };

export type RunDecision =
  /** Nothing is due. */
  | { kind: "wait" }
  /** The expression is new: what it would have run before does not count. */
  | { kind: "begin"; schedule: string }
  /** `missed`: for how many runs it makes up that were not on time, itself included. */
  | { kind: "run"; at: Date; missed: number }
  /** `at`: the last run that is skipped. A run that is on time may still be due. */
  | { kind: "skip"; at: Date; reason: string };

/** By this a changed expression is noticed. */
export function scheduleOf({ cron, time_zone }: CronTrigger): string {
  return `${cron} ${time_zone}`;
}

export function decideRun(
  trigger: CronTrigger,
  record: CronRecord | undefined,
  now: Date,
): RunDecision {
  const schedule = scheduleOf(trigger);
  if (record?.schedule !== schedule) return { kind: "begin", schedule };
  const due = dueRuns(trigger, record.from, now);
  if (due === undefined) return { kind: "wait" };
  const { latest: at, earlier } = due;
  const isOnTime = now.getTime() - at.getTime() <= onTimeMs;
  if (trigger.missed === "once")
    return { kind: "run", at, missed: isOnTime ? earlier : earlier + 1 };
  if (!isOnTime) return skipped(at, earlier + 1);
  return earlier === 0 ? { kind: "run", at, missed: 0 } : skipped(runBefore(trigger, at), earlier);
}

function skipped(at: Date, missed: number): RunDecision {
  const runs = missed === 1 ? "The run was missed" : `${missed} runs were missed`;
  return {
    kind: "skip",
    at,
    reason: `${runs}: nothing looked at the time, and \`missed\` is \`skip\`.`,
  };
}
