// The triggers of sett.yml with their names and defaults, as the program that runs them gets them.
import type { SettFile } from "../model/config.ts";
import type { TriggerFile } from "../model/config-triggers.ts";
import { type Trigger, TriggerName } from "../model/trigger.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

export function resolveTriggers(triggers: SettFile["triggers"]): Trigger[] {
  return Object.entries(triggers).map(([name, trigger]) => triggerOf(TriggerName.parse(name), trigger));
}

/** The schema lets a trigger have exactly one of the three. */
function triggerOf(name: TriggerName, { cron, time_zone, missed, webhook, tag = "", goal }: TriggerFile): Trigger {
  if (cron !== undefined) return { kind: "cron", name, goal, cron, time_zone: time_zone ?? "UTC", missed: missed ?? "once" };
  if (webhook === undefined) return { kind: "tag", name, goal, tag };
  const { comment, ...rest } = webhook;
  return { kind: "webhook", name, goal, ...rest, ...withoutUndefined({ comment }) };
}
