// Puts on record that a trigger states no goal, and why.
import type { Trigger } from "../../../lib/model/trigger.ts";
import { plainLine } from "../../../lib/triggers/outside-text.ts";
import { actorOf, type TriggerParts } from "./fire.ts";

const maxLength = 300;

type Mark = { mark: string; value: string; fields?: Readonly<Record<string, string>> };

/**
 * `mark`: what is dealt with by it, in the record of the trigger, which gets `fields` as well;
 * without a mark, each call is an event of its own.
 */
export async function skip(
  { board, deps }: TriggerParts,
  trigger: Trigger,
  { cause, reason, mark }: { cause: string; reason: string; mark?: Mark },
): Promise<void> {
  const actor = actorOf(trigger);
  const data = { kind: trigger.kind, cause: short(cause), reason: short(reason) };
  const event = { type: "trigger_skipped" as const, data };
  if (mark === undefined) await board.logEvent(event, actor);
  else await board.recordTrigger({ record: { trigger: trigger.name }, ...mark, event, actor });
  deps.metrics.triggers.inc({ kind: trigger.kind, outcome: "skipped" });
  deps.log.info("A trigger has stated no goal", { trigger: trigger.name, ...data });
}

export function short(text: string): string {
  const line = plainLine(text);
  return line.length <= maxLength
    ? line
    : `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
