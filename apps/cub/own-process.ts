// Which process has this agent's work in hand, told so that the one after it can be sure that it has ended.
import { readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import type { ProcessMark } from "../../lib/model/claim.ts";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import { identify, isAlive } from "../../lib/process/process-id.ts";

/** Undefined where the system does not tell (it is not Linux): whatever this process has in hand is then given up by its lease alone. */
export function readOwnProcess(): ProcessMark | undefined {
  const namespace = orUndefined(() => readlinkSync("/proc/self/ns/pid"));
  const id = identify(process.pid);
  if (namespace === undefined || id === undefined) return undefined;
  const container = containerIn(orUndefined(() => readFileSync("/proc/self/mountinfo", "utf8")) ?? "");
  return { ...id, namespace, ...withoutUndefined({ container }) };
}

/**
 * Whether that process has certainly ended, as its successor `own` sees it. A container has one life at a time: in its next one nothing of the
 * last is left. In one and the same space of process numbers its number tells. Of all others nothing is known: a namesake elsewhere may be alive.
 */
export function hasEnded(other: ProcessMark, own: ProcessMark): boolean {
  if (other.container !== own.container) return false;
  const isSameSpace = other.namespace === own.namespace && bootOf(other) === bootOf(own);
  return isSameSpace ? !isAlive(other) : own.container !== undefined;
}

/** The id of this container: the engine mounts a file from the folder that it keeps for it. The host's name may be anybody's choice. */
export function containerIn(mounts: string): string | undefined {
  return /\/[a-z-]*containers\/([0-9a-f]{64})\/\S*hostname \/etc\/hostname /.exec(mounts)?.[1];
}

/** Which start of the machine: process numbers and namespaces are given out anew by each. */
function bootOf({ born }: ProcessMark): string {
  return born.slice(born.indexOf("@"));
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
