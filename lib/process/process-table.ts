// The processes of this machine or container, from Linux' /proc.
import { readdirSync, readFileSync } from "node:fs";

export type ProcessEntry = { pid: number; parent: number; group: number; isZombie: boolean };

export function readProcesses(): ProcessEntry[] {
  return readProcessTable().entries;
}

/**
 * `isWhole`: none has ended between being listed and being read; else there may be others that were
 * not listed.
 */
export function readProcessTable(): { entries: ProcessEntry[]; isWhole: boolean } {
  let isWhole = true;
  const entries = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return entryOf(readFileSync(`/proc/${name}/stat`, "utf8"));
    } catch {
      isWhole = false;
      return [];
    }
  });
  return { entries, isWhole };
}

/** Among the fields after the name. */
const threadsAt = 17;

/**
 * `123 (any name) S 1 123 …`; the name may have spaces and brackets. The state is that of the first
 * thread: where this one has ended and others live, the process is no zombie.
 */
export function entryOf(stat: string): ProcessEntry[] {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const isZombie = state === "Z" && !(Number(fields[threadsAt]) > 1);
  const entry = {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    isZombie,
  };
  return Number.isInteger(entry.pid) &&
    Number.isInteger(entry.parent) &&
    Number.isInteger(entry.group)
    ? [entry]
    : [];
}

/**
 * The descendants of process 1 that are of none of these groups, and of no process of theirs. In
 * the group of process 1 only those are spared that descend from an `isOwn`: others were left to it
 * by one of these that has ended. A program that was started in the container from outside (a
 * health check, `docker exec`) has no parent in it.
 */
export function straysAmong(
  all: readonly ProcessEntry[],
  groups: ReadonlySet<number>,
  isOwn: (pid: number) => boolean,
): ProcessEntry[] {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const isStray = (entry: ProcessEntry): boolean => {
    for (
      let one: ProcessEntry | undefined = entry;
      one !== undefined;
      one = byPid.get(one.parent)
    ) {
      if (groups.has(one.group)) return false;
      if (one.parent === 1) return !isOwn(one.pid);
    }
    return false;
  };
  return all.filter((entry) => entry.pid !== 1 && isStray(entry));
}
