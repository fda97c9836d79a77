// Which runs of a cron expression are due. Pure: the time is an argument, and what was done is read from the record.
import { Cron } from "croner";
import type { CronTrigger } from "../model/trigger.ts";

type Schedule = Pick<CronTrigger, "cron" | "time_zone">;

/** More missed runs are not counted. */
const countedRuns = 1_000;

/** `latest`: the time of the newest run that is due. `earlier`: how many more are due, for which it makes up; at most `countedRuns`. */
export type DueRuns = { latest: Date; earlier: number };

/** The runs after `from` (without it) up to `now`; undefined where none is due. */
export function dueRuns(schedule: Schedule, from: Date, now: Date): DueRuns | undefined {
  const cron = cronOf(schedule);
  const first = cron.nextRun(from);
  if (first === null || first > now) return undefined;
  // The reference itself is left out, and parts of a second do not count.
  const after = new Date(now.getTime() + 1_000);
  const latest = cron.previousRuns(2, after).find((run) => run <= now) ?? first;
  let earlier = 0;
  for (let run: Date | null = first; run !== null && run < latest && earlier < countedRuns; run = cron.nextRun(run)) earlier += 1;
  return { latest, earlier };
}

/** The first run after `from`; undefined where it never runs again. */
export function nextRun(schedule: Schedule, from: Date): Date | undefined {
  return cronOf(schedule).nextRun(from) ?? undefined;
}

/** Why this is no cron expression, to follow its name in a sentence; undefined where it is one. */
export function cronProblem(expression: string): string | undefined {
  try {
    cronOf({ cron: expression, time_zone: "UTC" });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    return `must be five fields: minute, hour, day of the month, month, day of the week, such as \`"0 3 * * *"\` (${reason})`;
  }
}

/** A pattern of croner never starts anything by itself without a function. */
function cronOf({ cron, time_zone }: Schedule): Cron {
  return new Cron(cron, { timezone: time_zone, mode: "5-part" });
}
