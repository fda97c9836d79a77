// The id of a trigger's goal, made from what has happened: who states the goal again finds that it
// is there.
import { createHash } from "node:crypto";
import { GoalId, type InstanceName } from "../model/ids.ts";
import type { TriggerName } from "../model/trigger.ts";

/**
 * `happened`: what tells this moment from all others of the trigger: the time of a run, a tag and
 * its commit, an event of a forge.
 */
export function goalIdOf(
  instance: InstanceName,
  trigger: TriggerName,
  happened: readonly string[],
): GoalId {
  const bytes = createHash("sha256")
    .update(JSON.stringify(["trigger", instance, trigger, ...happened]))
    .digest()
    .subarray(0, 16);
  // Ids of Sett are UUIDs of version 4: these bits say so.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return GoalId.parse(
    [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
      "-",
    ),
  );
}
