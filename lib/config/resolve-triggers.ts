// The triggers of sett.yml with their names and defaults, as the program that runs them gets them.
import type { SettFile } from "../model/config.ts";
import type { TriggerFile } from "../model/config-triggers.ts";
import { type Trigger, TriggerName } from "../model/trigger.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

export function resolveTriggers({
  triggers,
  agents,
}: Pick<SettFile, "triggers" | "agents">): Trigger[] {
  const guards_secrets = Object.values(agents).some(({ secrets }) => secrets.length > 0)
    ? true
    : undefined;
  return Object.entries(triggers).map(([name, trigger]) => {
    const resolved = triggerOf(TriggerName.parse(name), trigger);
    return resolved.kind === "webhook"
      ? { ...resolved, ...withoutUndefined({ guards_secrets } as const) }
      : resolved;
  });
}

/** The schema lets a trigger have exactly one of the three. */
function triggerOf(
  name: TriggerName,
  { cron, time_zone, missed, webhook, tag = "", goal }: TriggerFile,
): Trigger {
  if (cron !== undefined)
    return {
      kind: "cron",
      name,
      goal,
      cron,
      time_zone: time_zone ?? "UTC",
      missed: missed ?? "once",
    };
  if (webhook === undefined) return { kind: "tag", name, goal, tag };
  const { comment, ...rest } = webhook;
  return { kind: "webhook", name, goal, ...rest, ...withoutUndefined({ comment }) };
}
