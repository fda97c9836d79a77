// Triggers that state a goal at a time. Runs that are dealt with are on record, so that a restart
// neither repeats nor forgets one.
import { GoalId } from "../../model/ids.ts";
import type { CronTrigger, TriggerName } from "../../model/trigger.ts";
import { cronProblem, nextRun } from "../cron-times.ts";
import type { KindOfTrigger, TriggerPort, Watch } from "../kind.ts";
import { type CronRecord, decideRun } from "../run-decision.ts";

export const cron: KindOfTrigger<CronTrigger> = {
  fields: ["trigger", "time"],
  resolve: ({ cron = "", time_zone = "UTC", missed = "once" }) => ({
    ...{ kind: "cron", cron, time_zone, missed },
  }),
  mistakes({ cron }) {
    const sentence = typeof cron === "string" ? cronProblem(cron) : undefined;
    return sentence === undefined ? [] : [{ path: ["cron"], sentence }];
  },
  warnings(trigger, { now }) {
    const sentence = `never comes: no date fits \`${trigger.cron}\``;
    return nextRun(trigger, now) === undefined ? [{ path: ["cron"], sentence }] : [];
  },
  watch: { everyMs: 1_000, start: (port) => new CronWatch(port) },
};

/** A run that has begun; `time`: ISO 8601. */
type Begun = { time: string; missed: number };

const dayMs = 86_400_000;

class CronWatch implements Watch<CronTrigger> {
  readonly #port: TriggerPort;
  /**
   * Trigger → when it is next due (Unix milliseconds), so that most looks need no read. Unknown:
   * the record says it.
   */
  readonly #next = new Map<TriggerName, number>();

  constructor(port: TriggerPort) {
    this.#port = port;
  }

  async look(trigger: CronTrigger): Promise<void> {
    const now = this.#port.now();
    if (now.getTime() < (this.#next.get(trigger.name) ?? 0)) return;
    const marks = await this.#port.read(trigger.name);
    const begun = unfinished(marks);
    // Whatever else is due by now comes at the next look.
    if (begun !== undefined) return await this.#finish(trigger, begun);
    const decision = decideRun(trigger, recordOf(marks), now);
    switch (decision.kind) {
      case "begin": {
        const { schedule } = decision;
        const fields = { run: now.toISOString() };
        await this.#port.record(trigger, { mark: "schedule", value: schedule, fields });
        return this.#expect(trigger, now);
      }
      case "wait":
        return this.#expect(trigger, recordOf(marks)?.from ?? now);
      case "skip": {
        const time = decision.at.toISOString();
        const { reason } = decision;
        await this.#port.skip(trigger, { cause: time, reason, mark: markOf(time) });
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
    const goal = GoalId.safeParse(last);
    const busy = goal.success ? await this.#port.busyState(goal.data) : undefined;
    if (busy !== undefined) {
      const loggedAt = Date.parse(marks.get("skipped_at") ?? "");
      const isLogged = marks.get("skipped_for") === last && Date.parse(time) - loggedAt < dayMs;
      if (isLogged) return await this.#port.record(trigger, markOf(time));
      const reason = `The goal of the last run, ${last}, is still ${busy}.`;
      const fields = { skipped_for: last ?? "", skipped_at: time };
      return await this.#port.skip(trigger, {
        ...{ cause: time, reason },
        mark: { ...markOf(time), fields },
      });
    }
    const fields = { begun_missed: String(missed) };
    await this.#port.record(trigger, { mark: "begun", value: time, fields });
    await this.#finish(trigger, run);
  }

  /** A run that has begun gets its goal, also where the program ended meanwhile. */
  async #finish(trigger: CronTrigger, { time, missed }: Begun): Promise<void> {
    const { goal } = await this.#port.fire(trigger, {
      ...{ happened: ["cron", time], cause: time, values: { time } },
      ...{ source: "the clock", missed },
    });
    await this.#port.record(trigger, { ...markOf(time), fields: { goal } });
  }

  /** A clock that is set back moves no run, and one that is set forward only makes it due. */
  #expect(trigger: CronTrigger, from: Date): void {
    this.#next.set(trigger.name, nextRun(trigger, from)?.getTime() ?? Number.POSITIVE_INFINITY);
  }
}

function markOf(time: string) {
  return { mark: "run", value: time };
}

/** The run that has begun, where it is not dealt with yet. */
function unfinished(marks: ReadonlyMap<string, string>): Begun | undefined {
  const [time, run = ""] = [marks.get("begun"), marks.get("run")];
  if (time === undefined || time <= run) return undefined;
  return { time, missed: Number(marks.get("begun_missed") ?? 0) };
}

function recordOf(marks: ReadonlyMap<string, string>): CronRecord | undefined {
  const [schedule, run] = [marks.get("schedule"), marks.get("run")];
  const from = new Date(run ?? "");
  if (schedule === undefined || Number.isNaN(from.getTime())) return undefined;
  return { schedule, from };
}
