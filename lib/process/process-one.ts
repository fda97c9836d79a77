// Process 1 of a container is of the same user as the commands that it starts, and they may send it
// any signal. Linux drops those, SIGKILL as well, for which process 1 has no handler of its own;
// and they may move its threads to a processor of their choice. No node: API does this.
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";

/**
 * The signals by which the kernel says that a program has made a mistake. Bun has handlers for
 * them, which end the process, whichever its sender.
 */
const crashes = ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV"] as const;

/**
 * As process 1 of a container: takes off the handlers of signals that tell of a crash. One that is
 * sent changes nothing then, and a crash ends the process as it does without handlers, only without
 * Bun's report. Elsewhere, or where libc cannot be reached, it does nothing.
 */
export async function leaveCrashesToTheSystem(): Promise<void> {
  const libc = process.pid === 1 ? await openLibc() : undefined;
  for (const name of crashes) libc?.signal(constants.signals[name], null);
}

/**
 * Lets a thread run on each processor that the container may use. `all`: every thread of this
 * process, else the one that starts commands.
 */
export async function useAllProcessors({ all }: { all: boolean }): Promise<void> {
  const libc = process.pid === 1 ? await openLibc() : undefined;
  if (libc === undefined) return;
  const threads = all ? readdirSync("/proc/self/task").map(Number) : [process.pid];
  for (const thread of threads)
    libc.sched_setaffinity(thread, everyProcessor.byteLength, everyProcessor);
}

/** For 4 096 processors. Linux leaves out those that are not there, or not the container's. */
const everyProcessor = new Uint8Array(512).fill(0xff);

type Libc = {
  signal: (number: number, handler: null) => unknown;
  sched_setaffinity: (thread: number, bytes: number, mask: Uint8Array) => unknown;
};

let opened: Promise<Libc | undefined> | undefined;

function openLibc(): Promise<Libc | undefined> {
  opened ??= "bun" in process.versions ? open() : Promise.resolve(undefined);
  return opened;
}

async function open(): Promise<Libc | undefined> {
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr, u64 } = FFIType;
    const { symbols } = dlopen("libc.so.6", {
      signal: { args: [i32, ptr], returns: ptr },
      sched_setaffinity: { args: [i32, u64, ptr], returns: i32 },
    });
    return symbols;
  } catch {
    return undefined;
  }
}
