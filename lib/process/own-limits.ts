// The limits of the kernel that a process has, and that all it starts inherit.
import { readFileSync } from "node:fs";
import { setOwnLimit } from "./process-one.ts";

/**
 * Linux's number of each limit, and its name in `/proc/PID/limits`. Those that count for all
 * processes of a user are not every kernel's: gVisor has its own queues in each container.
 */
const known = {
  fileBytes: { number: 1, name: "file size", isOfUser: false },
  coreBytes: { number: 4, name: "core file size", isOfUser: false },
  openFiles: { number: 7, name: "open files", isOfUser: false },
  pendingSignals: { number: 11, name: "pending signals", isOfUser: true },
  queueBytes: { number: 12, name: "msgqueue size", isOfUser: true },
} as const;

export type ProcessLimits = Partial<Record<keyof typeof known, number | undefined>>;

/** A limit that is higher than it may be. `inForce`: infinite where there is none. */
export type Excess = { name: string; allowed: number; inForce: number };

/**
 * Lowers the limits of this process that are higher than these. Returns what could not be lowered
 * and is a process's own.
 */
export async function lowerOwnLimits(most: ProcessLimits): Promise<Excess[]> {
  for (const { number, allowed, soft } of excessOf(most))
    await setOwnLimit(number, Math.min(soft, allowed), allowed);
  return excessOf(most).filter(({ isOfUser }) => !isOfUser);
}

function excessOf(most: ProcessLimits) {
  const text = readFileSync("/proc/self/limits", "utf8");
  return Object.entries(known).flatMap(([key, { number, name, isOfUser }]) => {
    const allowed = most[key as keyof ProcessLimits];
    const [, soft = "", hard = ""] =
      new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, "m").exec(text) ?? [];
    const inForce = sizeOf(hard);
    if (allowed === undefined || inForce <= allowed) return [];
    return [{ number, name, isOfUser, allowed, soft: sizeOf(soft), inForce }];
  });
}

/** A limit that is not shown counts as none. */
function sizeOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
