// Removes the segments of shared memory (System V) that processes have left in the kernel. No node:
// API does so.
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import process from "node:process";

/** The commands of `shmctl` that remove a segment, and that count all of them. */
const remove = 0;
const count = 14;
/** The newest ids that are tried where the kernel has no list: about a second in gVisor. */
const maxTried = 10_000;

/**
 * Removes all that this user may; where libc cannot be reached, nothing. Rejects where some stay in
 * a kernel without a list of them, such as gVisor's: they end with the container.
 */
export async function removeSharedMemory(): Promise<void> {
  const list = await readFile("/proc/sysvipc/shm", "utf8").catch(() => undefined);
  const segments = list === undefined ? undefined : idsIn(list);
  if (segments?.length === 0 || !("bun" in process.versions)) return;
  const libc = await openLibc().catch(() => undefined);
  if (libc === undefined) return;
  try {
    if (segments === undefined) removeUnlisted(libc.symbols);
    else for (const id of segments) libc.symbols.shmctl(id, remove, null);
  } finally {
    libc.close();
  }
}

async function openLibc() {
  const { dlopen, FFIType } = await import("bun:ffi");
  const { i32, u64, ptr } = FFIType;
  return dlopen("libc.so.6", {
    shmctl: { args: [i32, i32, ptr], returns: i32 },
    shmget: { args: [i32, u64, i32], returns: i32 },
  });
}

/** Such a kernel numbers segments one after the other, so that a new one has the highest id. */
function removeUnlisted({ shmctl, shmget }: Awaited<ReturnType<typeof openLibc>>["symbols"]): void {
  const found = Buffer.alloc(64);
  const isLeft = () => shmctl(0, count, found) >= 0 && found.readInt32LE(0) > 0;
  if (!isLeft()) return;
  const newest = shmget(0, 4096, 0o1600);
  for (let id = newest; id >= Math.max(0, newest - maxTried); id--) shmctl(id, remove, null);
  if (isLeft()) throw new Error("shared memory (System V)");
}

/** The second column, below a line of titles. */
function idsIn(list: string): number[] {
  const lines = list.trim().split("\n").slice(1);
  return lines.map((line) => Number(line.trim().split(/\s+/)[1])).filter(Number.isInteger);
}
