// How often the kernel has ended a process of this container because the container's memory was
// used up.
import { readFile } from "node:fs/promises";

/** The paths are those of cgroup version 2 and 1. */
const counters = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"];
const limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/** Zero where the kernel does not say. */
export async function memoryKills(): Promise<number> {
  const text = await firstOf(counters);
  return Number(/^oom_kill (\d+)$/m.exec(text ?? "")?.[1] ?? 0);
}

/** In bytes; undefined without a limit. */
export async function memoryLimit(): Promise<number | undefined> {
  const bytes = Number((await firstOf(limits)) ?? Number.NaN);
  return bytes > 0 && bytes < 2 ** 60 ? bytes : undefined;
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) return text.trim();
  }
  return undefined;
}
