// Triggers that state a goal at a time. Each run that was dealt with is on record, so that a
// restart neither repeats nor forgets one.
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import type { CronTrigger, TriggerName } from "../../../lib/model/trigger.ts";
import { nextRun } from "../../../lib/triggers/cron.ts";
import { type CronRecord, decideRun } from "../../../lib/triggers/run-decision.ts";
import { actorOf, fireFor, type TriggerParts } from "./fire.ts";
import { skip } from "./skip.ts";

/** A run that has begun; `time`: ISO 8601. */
type Begun = { time: string; missed: number };

const dayMs = 86_400_000;

export class CronWatch {
  readonly #parts: TriggerParts;
  /**
   * Trigger → when it is next due (Unix milliseconds), so that most looks need no read. Unknown:
   * the record says it.
   */
  readonly #next = new Map<TriggerName, number>();

  constructor(parts: TriggerParts) {
    this.#parts = parts;
  }

  /** Looks once at the time. */
  async look(trigger: CronTrigger): Promise<void> {
    const { board, deps } = this.#parts;
    const now = deps.clock.now();
    if (now.getTime() < (this.#next.get(trigger.name) ?? 0)) return;
    const marks = await board.readTrigger(trigger.name);
    const begun = unfinished(marks);
    // Whatever else is due by now comes at the next look.
    if (begun !== undefined) return await this.#finish(trigger, begun);
    const decision = decideRun(trigger, recordOf(marks), now);
    switch (decision.kind) {
      case "begin": {
        const begin = {
          mark: "schedule",
          value: decision.schedule,
          fields: { run: now.toISOString() },
        };
        await board.recordTrigger({ ...ofTrigger(trigger), ...begin });
        return this.#expect(trigger, now);
      }
      case "wait":
        return this.#expect(trigger, recordOf(marks)?.from ?? now);
      case "skip": {
        const time = decision.at.toISOString();
        await skip(this.#parts, trigger, {
          cause: time,
          reason: decision.reason,
          mark: markOf(time),
        });
        this.#expect(trigger, decision.at);
        // A run that is on time must not wait until it is not.
        return await this.look(trigger);
      }
      case "run":
        await this.#run(
          trigger,
          { time: decision.at.toISOString(), missed: decision.missed },
          marks,
        );
        return this.#expect(trigger, decision.at);
    }
  }

  /**
   * Two runs never work at the same time: a run is skipped while the goal of the last one is not at
   * rest. The log says so of each goal once a day: a goal that waits for a person for a year would
   * else make an event of every minute.
   */
  async #run(trigger: CronTrigger, run: Begun, marks: ReadonlyMap<string, string>): Promise<void> {
    const { time, missed } = run;
    const last = marks.get("goal");
    const busy = await this.#stateOfLast(last);
    if (busy !== undefined) {
      const isLogged =
        marks.get("skipped_for") === last &&
        Date.parse(time) - Date.parse(marks.get("skipped_at") ?? "") < dayMs;
      if (isLogged) {
        await this.#parts.board.recordTrigger({ ...ofTrigger(trigger), ...markOf(time) });
        return;
      }
      const reason = `The goal of the last run, ${last}, is still ${busy}.`;
      const fields = { skipped_for: last ?? "", skipped_at: time };
      return await skip(this.#parts, trigger, {
        cause: time,
        reason,
        mark: { ...markOf(time), fields },
      });
    }
    const begin = { mark: "begun", value: time, fields: { begun_missed: String(missed) } };
    await this.#parts.board.recordTrigger({ ...ofTrigger(trigger), ...begin });
    await this.#finish(trigger, run);
  }

  /** A run that has begun gets its goal, also where the program ended meanwhile. */
  async #finish(trigger: CronTrigger, { time, missed }: Begun): Promise<void> {
    const moment = {
      happened: ["cron", time],
      cause: time,
      values: { time },
      source: "the clock",
      missed,
    };
    const { goal } = await fireFor(this.#parts, trigger, moment);
    await this.#parts.board.recordTrigger({
      ...ofTrigger(trigger),
      ...markOf(time),
      fields: { goal },
    });
  }

  /** Undefined where the goal is at rest, or not on the blackboard any more. */
  async #stateOfLast(last: string | undefined): Promise<string | undefined> {
    const goal = GoalId.safeParse(last);
    if (!goal.success) return undefined;
    const { status, artefacts } = await readGoalState(this.#parts.board, goal.data);
    const isBusy =
      artefacts.length > 0 && (status.state === "running" || status.state === "waiting");
    return isBusy ? status.state : undefined;
  }

  /** A clock that is set back moves no run, and one that is set forward only makes it due. */
  #expect(trigger: CronTrigger, from: Date): void {
    this.#next.set(trigger.name, nextRun(trigger, from)?.getTime() ?? Number.POSITIVE_INFINITY);
  }
}

function ofTrigger(trigger: CronTrigger) {
  return { record: { trigger: trigger.name }, actor: actorOf(trigger) };
}

function markOf(time: string) {
  return { mark: "run", value: time };
}

/** The run that has begun, where it is not dealt with yet. */
function unfinished(marks: ReadonlyMap<string, string>): Begun | undefined {
  const [time, run = ""] = [marks.get("begun"), marks.get("run")];
  return time === undefined || time <= run
    ? undefined
    : { time, missed: Number(marks.get("begun_missed") ?? 0) };
}

function recordOf(marks: ReadonlyMap<string, string>): CronRecord | undefined {
  const [schedule, run] = [marks.get("schedule"), marks.get("run")];
  const from = new Date(run ?? "");
  return schedule === undefined || Number.isNaN(from.getTime()) ? undefined : { schedule, from };
}
