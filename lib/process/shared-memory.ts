// Removes the segments of shared memory (System V) that processes have left in the kernel. No node:
// API does so.
import { readFile } from "node:fs/promises";
import process from "node:process";

/** The command of `shmctl` that removes a segment. */
const remove = 0;

/**
 * Removes all that this user may; where libc or the kernel's list cannot be reached, nothing. Never
 * rejects.
 */
export async function removeSharedMemory(): Promise<void> {
  const segments = idsIn(await readFile("/proc/sysvipc/shm", "utf8").catch(() => ""));
  if (segments.length === 0 || !("bun" in process.versions)) return;
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr } = FFIType;
    const libc = dlopen("libc.so.6", { shmctl: { args: [i32, i32, ptr], returns: i32 } });
    for (const id of segments) libc.symbols.shmctl(id, remove, null);
    libc.close();
  } catch {
    // Then they stay until the container ends.
  }
}

/** The second column, below a line of titles. */
function idsIn(list: string): number[] {
  const lines = list.trim().split("\n").slice(1);
  return lines.map((line) => Number(line.trim().split(/\s+/)[1])).filter(Number.isInteger);
}
