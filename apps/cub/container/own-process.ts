// The identity of this process, stored with each grant that it works on, so that the process after
// it can check that it has ended.
import { readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import type { ProcessMark } from "../../../lib/model/claim.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { identify, isAlive } from "../../../lib/process/process-id.ts";

/**
 * Undefined where the system does not tell (it is not Linux): then only the lease decides that this
 * process's work is lost.
 */
export function readOwnProcess(): ProcessMark | undefined {
  const namespace = orUndefined(() => readlinkSync("/proc/self/ns/pid"));
  const id = identify(process.pid);
  if (namespace === undefined || id === undefined) return undefined;
  const container = containerIn(
    orUndefined(() => readFileSync("/proc/self/mountinfo", "utf8")) ?? "",
  );
  return { ...id, namespace, ...withoutUndefined({ container }) };
}

/**
 * Whether `other` has certainly ended, as its successor `own` sees it. When a container starts
 * again, no process of its last run is left. In the same pid namespace the process number tells.
 * Everywhere else nothing is certain: a process with the same mark may be alive on another machine.
 */
export function hasEnded(other: ProcessMark, own: ProcessMark): boolean {
  if (other.container !== own.container) return false;
  const isSameSpace = other.namespace === own.namespace && bootOf(other) === bootOf(own);
  return isSameSpace ? !isAlive(other) : own.container !== undefined;
}

/**
 * The id of this container, from the path of a file that the Engine mounts into it. The host name
 * is not reliable: a person may set it.
 */
export function containerIn(mounts: string): string | undefined {
  return /\/[a-z-]*containers\/([0-9a-f]{64})\/\S*hostname \/etc\/hostname /.exec(mounts)?.[1];
}

/** Names the boot of the machine: each boot assigns process numbers and namespaces anew. */
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
