// Sees to it that a command which takes all memory is ended rather than its cub, which then reports
// the limit. The kernel would choose for itself, and with some settings takes every process of the
// container at once.
import { writeFileSync } from "node:fs";
import process from "node:process";
import { readProcesses } from "../../../lib/process/process-table.ts";
import { sizeText } from "./disk-watch.ts";
import { KernelWatch, numberIn, textOf } from "./kernel-watch.ts";

/** The files of cgroup version 2 and 1. `events`: how often the kernel has ended a process. */
const versions = [
  {
    used: "/sys/fs/cgroup/memory.current",
    limit: "/sys/fs/cgroup/memory.max",
    events: "/sys/fs/cgroup/memory.events",
    parts: "/sys/fs/cgroup/memory.stat",
    reclaimable: /^(?:in)?active_file (\d+)$|^slab_reclaimable (\d+)$/gm,
  },
  {
    used: "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    limit: "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    events: "/sys/fs/cgroup/memory/memory.oom_control",
    parts: "/sys/fs/cgroup/memory/memory.stat",
    reclaimable: /^total_(?:in)?active_file (\d+)$/gm,
  },
] as const;

const mebibyte = 1024 ** 2;
/** The kernel says so where there is no limit. */
const noLimit = 2 ** 60;
/**
 * From here on commands are made the kernel's first choice again and again: where memory goes
 * faster than this program looks, it is the kernel that ends something.
 */
const shortAt = 0.25;
const firstChoice = "1000";

export class MemoryWatch extends KernelWatch {
  readonly #version = versions.find(({ used }) => numberIn(used) !== undefined);
  readonly #limit = memoryLimit() ?? 0;
  protected readonly canLook = this.#limit > 0;

  get reason(): string {
    return memoryReason();
  }

  protected isExceeded(): boolean {
    const version = this.#version;
    if (version === undefined) return false;
    const used = numberIn(version.used) ?? 0;
    if (used < this.#limit * shortAt) return false;
    const kept = used - reclaimableIn(textOf(version.parts) ?? "", version.reclaimable);
    if (kept < this.#limit * shortAt) return false;
    if (kept >= this.#limit - marginOf(this.#limit)) return true;
    preferForKilling();
    return false;
  }
}

/** A sentence, also where no watch may look. */
export function memoryReason(): string {
  const bytes = memoryLimit();
  const limit =
    bytes === undefined
      ? "there is"
      : `\`resources.limits.memory\` allows, which is ${sizeText(bytes)}`;
  return `The run was ended because it needed more memory than ${limit}.`;
}

/**
 * Counts how often the kernel has ended a process of this container because its memory was used up.
 * Zero where the kernel does not say.
 */
export function memoryKills(): number {
  const text = versions.map(({ events }) => textOf(events)).find((each) => each !== undefined);
  return Number(/^oom_kill (\d+)$/m.exec(text ?? "")?.[1] ?? 0);
}

/** Returns it in bytes; undefined without a limit. */
function memoryLimit(): number | undefined {
  const bytes = versions.map(({ limit }) => numberIn(limit)).find((each) => each !== undefined);
  return bytes !== undefined && bytes > 0 && bytes < noLimit ? bytes : undefined;
}

/** A command may use all but this. It is more than most take between two looks. */
export function marginOf(limit: number): number {
  return Math.min(16 * mebibyte, Math.max(2 * mebibyte, limit / 64));
}

/** The sum of what the kernel gives back by itself: files that it remembers. */
export function reclaimableIn(parts: string, of: RegExp): number {
  return [...parts.matchAll(of)].reduce((sum, [, one, other]) => sum + Number(one ?? other), 0);
}

/** A command may have lowered what makes it the first choice. */
function preferForKilling(): void {
  for (const { pid } of readProcesses()) {
    if (pid === process.pid) continue;
    try {
      writeFileSync(`/proc/${pid}/oom_score_adj`, firstChoice);
    } catch {
      // It has just ended.
    }
  }
}
