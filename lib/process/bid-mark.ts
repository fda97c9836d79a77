// A mark that a process cannot take off, and that those which it starts inherit: a hard limit,
// which only a privileged process can raise. Linux has not used this one for twenty years. It tells
// what a bid command has left from what a grant's command has started.
import { readFileSync } from "node:fs";
import process from "node:process";

const fileLocks = 10;
const markValue = 1_000_000n;

/**
 * Marks the process; undefined where libc cannot be reached, or where this process itself has such
 * a limit.
 */
export async function processMarker(): Promise<((pid: number) => void) | undefined> {
  marker ??= "bun" in process.versions ? bunMarker() : Promise.resolve(undefined);
  return await marker;
}

let marker: Promise<((pid: number) => void) | undefined> | undefined;

async function bunMarker(): Promise<((pid: number) => void) | undefined> {
  if (isMarked(process.pid)) return undefined;
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr } = FFIType;
    const libc = dlopen("libc.so.6", { prlimit: { args: [i32, i32, ptr, ptr], returns: i32 } });
    // Soft and hard.
    const limit = new BigUint64Array([markValue, markValue]);
    return (pid) => void libc.symbols.prlimit(pid, fileLocks, limit, null);
  } catch {
    return undefined;
  }
}

/**
 * Says whether another process has marked this one since its start: then all that it starts has the
 * mark, and the mark tells nothing.
 */
export function isMarkedMeanwhile(): boolean {
  return !wasMarked && isMarked(process.pid);
}

/** A process that has ended counts as not marked. */
export function isMarked(pid: number): boolean {
  try {
    return /^Max file locks +\d+ +\d+ /m.test(readFileSync(`/proc/${pid}/limits`, "utf8"));
  } catch {
    return false;
  }
}

const wasMarked = isMarked(process.pid);
