// Which runs of a cron expression are due. Pure: the time is an argument, and what was done is read
// from the record. croner finds the times that the clock on the wall shows, in UTC, where no change
// of the clocks is; when they are is decided here.
import { Cron } from "croner";
import type { CronTrigger } from "../model/trigger.ts";
import { wallClock } from "./wall-clock.ts";

type Schedule = Pick<CronTrigger, "cron" | "time_zone">;

/** More missed runs are not counted. */
const countedRuns = 1_000;

/**
 * `latest`: the time of the newest run that is due. `earlier`: how many more are due, for which it
 * makes up; at most `countedRuns`.
 */
export type DueRuns = { latest: Date; earlier: number };

/** The runs after `from` (without it) up to `now`; undefined where none is due. */
export function dueRuns(schedule: Schedule, from: Date, now: Date): DueRuns | undefined {
  const runs = runsOf(schedule);
  const first = runs.next(from);
  if (first === undefined || first > now) return undefined;
  const latest = runs.latest(now) ?? first;
  let earlier = 0;
  for (
    let run: Date | undefined = first;
    run !== undefined && run < latest && earlier < countedRuns;
    run = runs.next(run)
  )
    earlier += 1;
  return { latest, earlier };
}

/** The first run after `from`; undefined where it never runs again. */
export function nextRun(schedule: Schedule, from: Date): Date | undefined {
  return runsOf(schedule).next(from);
}

/** The last run before the run at this time, which is not the first one. */
export function runBefore(schedule: Schedule, run: Date): Date {
  return runsOf(schedule).latest(new Date(run.getTime() - 1)) ?? run;
}

/** Why this is no cron expression, to follow its name in a sentence; undefined where it is one. */
export function cronProblem(expression: string): string | undefined {
  const rule =
    'must be five fields: minute, hour, day of the month, month, day of the week, such as `"0 3 * * *"`';
  if (expression.trim().startsWith("@")) return `${rule} (a name such as \`@daily\` is not known)`;
  try {
    cronOf(expression);
    return undefined;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    return `${rule} (${reason})`;
  }
}

function runsOf({ cron: expression, time_zone }: Schedule) {
  const cron = cronOf(expression);
  const clock = wallClock(time_zone);
  const [, hour = ""] = expression.trim().split(/\s+/);
  const isEachHour = hour === "*" || hour === "*/1";
  /**
   * An expression for each hour runs in every one that passes; one that names hours runs once in
   * each.
   */
  const timesOf = (wall: Date): Date[] => {
    const { times, leftOut } = clock.timesOf(wall);
    if (isEachHour) return times;
    return leftOut === undefined ? times.slice(0, 1) : [leftOut];
  };
  return {
    next(from: Date): Date | undefined {
      const shown = clock.shows(from);
      let found: Date | undefined;
      // A time that the clock is soon to show again may come before one that it has not shown yet.
      for (
        let wall = cron.nextRun(clock.showsAtLeast(from));
        wall !== null;
        wall = cron.nextRun(wall)
      ) {
        for (const at of timesOf(wall))
          if (at > from && (found === undefined || at < found)) found = at;
        if (found !== undefined && wall > shown) break;
      }
      return found;
    },
    latest(now: Date): Date | undefined {
      const shown = clock.shows(now);
      let found: Date | undefined;
      // The reference itself is left out, and parts of a second do not count.
      let reference: Date | undefined = new Date(clock.showedAtMost(now).getTime() + 1_000);
      while (reference !== undefined) {
        const [wall]: Date[] = cron.previousRuns(1, reference);
        for (const at of wall === undefined ? [] : timesOf(wall))
          if (at <= now && (found === undefined || at > found)) found = at;
        reference = wall !== undefined && found !== undefined && wall <= shown ? undefined : wall;
      }
      return found;
    },
  };
}

/** A pattern of croner never starts anything by itself without a function. */
function cronOf(expression: string): Cron {
  return new Cron(expression, { timezone: "UTC", mode: "5-part" });
}
