// Counts this user's watches of files (inotify) by program. The kernel gives each user some, and
// agents are often the same user as a person.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { WatchFacts } from "./facts.ts";

const limitFile = "/proc/sys/fs/inotify/max_user_instances";

/**
 * Returns the watches of the user who has the most of them, among the processes that can be looked
 * into. Undefined where the system does not say.
 */
export function readWatches(): WatchFacts | undefined {
  const limit = Number(textOf(limitFile) ?? Number.NaN);
  if (!Number.isInteger(limit)) return undefined;
  const users = new Map<string, { used: number; most: WatchFacts["most"] }>();
  for (const pid of namesIn("/proc").filter((name) => /^\d+$/.test(name))) {
    const count = instancesOf(pid);
    const user =
      count === 0 ? undefined : /^Uid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? "")?.[1];
    if (user === undefined) continue;
    const { used = 0, most } = users.get(user) ?? {};
    const isMost = most === undefined || count > most.count;
    const name = textOf(`/proc/${pid}/comm`)?.trim() ?? "";
    users.set(user, {
      used: used + count,
      most: isMost ? { pid: Number(pid), name, count } : most,
    });
  }
  const [first] = [...users].toSorted(([, one], [, other]) => other.used - one.used);
  return { limit, user: first?.[0], used: first?.[1].used ?? 0, most: first?.[1].most };
}

function instancesOf(pid: string): number {
  return namesIn(`/proc/${pid}/fd`).filter((fd) => isInotify(`/proc/${pid}/fd/${fd}`)).length;
}

function isInotify(path: string): boolean {
  try {
    return readlinkSync(path) === "anon_inode:inotify";
  } catch {
    return false;
  }
}

/** None where it has gone, or may not be looked into. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
