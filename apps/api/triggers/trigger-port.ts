// Implements the port by which triggers reach the instance.
import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import type { Trigger, TriggerName } from "../../../lib/model/trigger.ts";
import type { Mark, Tag, TriggerPort } from "../../../lib/triggers/kind.ts";
import { shortLine } from "../../../lib/triggers/outside-text.ts";
import { repositoryOf } from "../routes/goals.ts";
import { actorOf, fireFor, type TriggerParts } from "./fire.ts";

export function triggerPort(parts: TriggerParts): TriggerPort {
  const { board, deps } = parts;
  let reading: Promise<Tag[]> | undefined;
  const turns = new SerialByKey<TriggerName>();
  const readTags = async () => repositoryOf(parts).tags();
  return {
    now: () => deps.clock.now(),
    read: (trigger) => board.readTrigger(trigger),
    async record(trigger, mark) {
      await board.recordTrigger({ ...recordOf(trigger), ...mark });
    },
    async forget(trigger, marks) {
      await board.forgetMarks(trigger, marks);
    },
    inTurn: (trigger, job) => turns.run(trigger, job),
    fire: (trigger, moment) => fireFor(parts, trigger, moment),
    skip: (trigger, about) => skip(parts, trigger, about),
    async busyState(goal) {
      const { status, artefacts } = await readGoalState(board, goal);
      const isBusy = status.state === "running" || status.state === "waiting";
      return artefacts.length > 0 && isBusy ? status.state : undefined;
    },
    // Triggers that look at the same time read them once.
    tags() {
      reading ??= readTags().finally(() => (reading = undefined));
      return reading;
    },
    secretOf: async (name) => deps.secretOf?.(name),
  };
}

function recordOf(trigger: Trigger) {
  return { record: { trigger: trigger.name }, actor: actorOf(trigger) };
}

async function skip(
  { board, deps }: TriggerParts,
  trigger: Trigger,
  { cause, reason, mark }: { cause: string; reason: string; mark?: Mark | undefined },
): Promise<void> {
  const data = { kind: trigger.kind, cause: shortLine(cause), reason: shortLine(reason) };
  const event = { type: "trigger_skipped" as const, data };
  if (mark === undefined) await board.logEvent(event, actorOf(trigger));
  else await board.recordTrigger({ ...recordOf(trigger), ...mark, event });
  deps.metrics.triggers.inc({ kind: trigger.kind, outcome: "skipped" });
  deps.log.info("A trigger has stated no goal", { trigger: trigger.name, ...data });
}
