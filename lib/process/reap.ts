// Takes note of the end of children that this program has not started: process 1 of a container
// inherits them. No node: API does so.
import process from "node:process";

let reaper: Promise<((pid: number) => void) | undefined> | undefined;

/** Lets the system forget a process that has ended; undefined where libc cannot be reached. */
export function processReaper(): Promise<((pid: number) => void) | undefined> {
  reaper ??= "bun" in process.versions ? bunReaper() : Promise.resolve(undefined);
  return reaper;
}

const withoutWaiting = 1;

async function bunReaper(): Promise<((pid: number) => void) | undefined> {
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr } = FFIType;
    const libc = dlopen("libc.so.6", { waitpid: { args: [i32, ptr, i32], returns: i32 } });
    return (pid) => void libc.symbols.waitpid(pid, null, withoutWaiting);
  } catch {
    return undefined;
  }
}
