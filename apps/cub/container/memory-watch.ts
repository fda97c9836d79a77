// Sees to it that a command which takes all memory is ended rather than its cub, which then reports
// the limit. The kernel would choose for itself, and with some settings takes every process of the
// container at once.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { readProcesses } from "../../../lib/process/process-table.ts";

/** A look takes a fiftieth of a millisecond, where memory is short a tenth. */
const lookEveryMs = 25;

/** The files of cgroup version 2 and 1. */
const versions = [
  {
    used: "/sys/fs/cgroup/memory.current",
    limit: "/sys/fs/cgroup/memory.max",
    parts: "/sys/fs/cgroup/memory.stat",
    reclaimable: /^(?:in)?active_file (\d+)$|^slab_reclaimable (\d+)$/gm,
  },
  {
    used: "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    limit: "/sys/fs/cgroup/memory/memory.limit_in_bytes",
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

export class MemoryWatch {
  readonly #version: (typeof versions)[number] | undefined;
  readonly #limit: number;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    this.#version = versions.find(({ used }) => numberIn(used) !== undefined);
    const limit = numberIn(this.#version?.limit ?? "") ?? 0;
    this.#limit = limit < noLimit ? limit : 0;
  }

  /**
   * Ends every process of the container but this one when nearly all memory is used up, and calls
   * each `onExceeded` that is there, until the result is disposed of. Does nothing without a limit.
   */
  start(onExceeded: () => void): Disposable {
    const listener = () => onExceeded();
    this.#listeners.add(listener);
    if (this.#limit > 0) this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #look(): void {
    const version = this.#version;
    if (version === undefined) return;
    const used = numberIn(version.used) ?? 0;
    if (used < this.#limit * shortAt) return;
    const kept = used - reclaimableIn(textOf(version.parts) ?? "", version.reclaimable);
    if (kept < this.#limit * shortAt) return;
    if (kept < this.#limit - marginOf(this.#limit)) return preferForKilling();
    process.kill(-1, "SIGKILL");
    for (const listener of this.#listeners) listener();
  }
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

function numberIn(path: string): number | undefined {
  const count = Number(textOf(path) ?? Number.NaN);
  return Number.isInteger(count) ? count : undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
