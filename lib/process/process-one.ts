// Process 1 of a container is of the same user as the commands that it starts, and they may send it
// any signal. Linux drops most of those, SIGKILL as well, for which process 1 has no handler of its
// own; and they may move its threads to a processor of their choice. No node: API does this.

import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";

/**
 * The signals by which the kernel says that a program has made a mistake. Bun has handlers for
 * them, which end the process, whichever its sender.
 */
const crashes = ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV"] as const;
/** SIGKILL and SIGSTOP have no handlers, and a child's end must be heard. */
const left = ["SIGKILL", "SIGSTOP", "SIGCHLD", "SIGCONT"] as const;
const signalCount = 64;
/** What libc takes for no handler, and for dropping the signal. */
const [byDefault, ignored] = [0n, 1n];

/**
 * As process 1 of a container: lets no signal end it but those that already have a handler. Linux
 * drops a signal without one, but not where it is addressed to a thread that blocks it, as the
 * thread of Bun's allocator does: another thread then takes it, and the process ends. So each is
 * ignored; what is started from here begins with none ignored, as Bun sees to. The handlers of
 * signals that tell of a crash are taken off: a crash ends the process as it does without handlers,
 * only without Bun's report. Elsewhere, or where libc cannot be reached, it does nothing.
 */
export async function endByNoSignalOfOthers(): Promise<void> {
  const libc = process.pid === 1 ? await openLibc() : undefined;
  if (libc === undefined) return;
  const numbers = (names: readonly NodeJS.Signals[]) =>
    new Set<number>(names.map((name) => constants.signals[name]));
  const [ofCrashes, ofOthers] = [numbers(crashes), numbers(left)];
  const handled = handledSignals(readFileSync("/proc/self/status", "latin1"));
  for (let signal = 1; signal <= signalCount; signal += 1)
    if (ofCrashes.has(signal)) libc.signal(signal, byDefault);
    else if (!ofOthers.has(signal) && !handled.has(signal)) libc.signal(signal, ignored);
}

/** `status`: of a process, as Linux writes it. */
export function handledSignals(status: string): Set<number> {
  const mask = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const all = Array.from({ length: signalCount }, (_, index) => index + 1);
  return new Set(all.filter((signal) => (mask >> BigInt(signal - 1)) & 1n));
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

const priorityOfGroup = 1;
const lowestPriority = 19;

/**
 * Returns what lets a process group, and all that it starts from then on, have processors after
 * this process where there are too few: a build with many processes would keep a cub of the same
 * share from renewing its lease. Other containers get no more and no less by it.
 */
export async function groupAfterThis(): Promise<(group: number) => void> {
  const libc = process.pid === 1 ? await openLibc() : undefined;
  return (group) => void libc?.setpriority(priorityOfGroup, group, lowestPriority);
}

/**
 * Overwrites an argument of this program where others read it, which is in its own memory. Call it
 * before anything else has started that may read it. Returns whether the kernel shows it no more.
 */
export async function forgetArgument(argument: string): Promise<boolean> {
  const stack = /^([0-9a-f]+)-([0-9a-f]+) .*\[stack\]$/m.exec(
    readFileSync("/proc/self/maps", "utf8"),
  );
  if (stack !== null && "bun" in process.versions) {
    const [from, to] = [1, 2].map((at) => Number.parseInt(stack[at] ?? "", 16)) as [number, number];
    const { toArrayBuffer } = await import("bun:ffi");
    const memory = Buffer.from(toArrayBuffer(from as never, 0, to - from));
    for (let at = memory.indexOf(argument); at >= 0; at = memory.indexOf(argument, at))
      memory.fill(0, at, at + argument.length);
  }
  return !readFileSync("/proc/self/cmdline", "latin1").includes(argument);
}

const setDumpable = 4;

/**
 * Lets no other process of its user look into this one. Linux does so by itself where the program's
 * file cannot be read, and gVisor starts no such file.
 */
export async function closeToOthers(): Promise<void> {
  (await openLibc())?.prctl(setDumpable, 0n, 0n, 0n, 0n);
}

/**
 * Sets a limit of this process, and so of all that it starts. `resource`: the number that Linux has
 * for it. Does nothing where the system refuses, or libc cannot be reached.
 */
export async function setOwnLimit(resource: number, soft: number, hard: number): Promise<void> {
  const limit = new BigUint64Array([BigInt(soft), BigInt(hard)]);
  (await openLibc())?.prlimit(0, resource, limit, null);
}

/** The numbers of Linux: address families, a datagram socket that no program inherits. */
const [family4, family6] = [2, 10];
const datagram = 0o2000002;

/**
 * Whether the kernel has a way to that address, of version 4 or 6 in bytes: nothing is sent.
 * Undefined where libc cannot be reached.
 */
export async function hasWayTo(address: readonly number[]): Promise<boolean | undefined> {
  const libc = await openLibc();
  if (libc === undefined) return undefined;
  const port = [0, 80];
  const isShort = address.length === 4;
  const rest = isShort
    ? [...port, ...address, ...Array(8).fill(0)]
    : [...port, 0, 0, 0, 0, ...address, 0, 0, 0, 0];
  const family = isShort ? family4 : family6;
  const socket = libc.socket(family, datagram, 0);
  if (socket < 0) return false;
  try {
    const name = new Uint8Array([...new Uint8Array(new Uint16Array([family]).buffer), ...rest]);
    return libc.connect(socket, name, name.length) === 0;
  } finally {
    libc.close(socket);
  }
}

/** For 4 096 processors. Linux leaves out those that are not there, or not the container's. */
const everyProcessor = new Uint8Array(512).fill(0xff);

type Libc = {
  signal: (number: number, handler: bigint) => unknown;
  sched_setaffinity: (thread: number, bytes: number, mask: Uint8Array) => unknown;
  setpriority: (kind: number, who: number, priority: number) => unknown;
  prctl: (option: number, ...values: readonly [bigint, bigint, bigint, bigint]) => number;
  prlimit: (pid: number, resource: number, limit: BigUint64Array, old: null) => number;
  socket: (family: number, kind: number, protocol: number) => number;
  connect: (socket: number, name: Uint8Array, bytes: number) => number;
  close: (file: number) => number;
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
      // The handler is a number here: libc has small ones for what is no function.
      signal: { args: [i32, u64], returns: u64 },
      sched_setaffinity: { args: [i32, u64, ptr], returns: i32 },
      setpriority: { args: [i32, i32, i32], returns: i32 },
      prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
      prlimit: { args: [i32, i32, ptr, ptr], returns: i32 },
      socket: { args: [i32, i32, i32], returns: i32 },
      connect: { args: [i32, ptr, i32], returns: i32 },
      close: { args: [i32], returns: i32 },
    });
    return symbols;
  } catch {
    return undefined;
  }
}
