// For the length of a schedule timers, clocks, signals and chance are the simulation's: whatever a
// program asks for, it gets virtual time.
import type { Random } from "../chaos/random.ts";
import { beginMs, type Planned, type Scheduler } from "./scheduler.ts";
import { virtualAbort } from "./virtual-abort.ts";

/** The globals that the programs use. */
const names = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "Date",
  "AbortController",
  "AbortSignal",
] as const;

type Globals = Record<string, unknown>;

/** UUIDs, version 4, from the seed. */
export function uuidsOf(random: Random): () => `${string}-${string}-${string}-${string}-${string}` {
  const four = () => fourDigits[random.whole(0, 0xffff)] ?? "";
  const three = () => four().slice(1);
  return () => `${four()}${four()}-${four()}-4${three()}-8${three()}-${four()}${four()}${four()}`;
}

const fourDigits = Array.from({ length: 0x1_00_00 }, (_, number) =>
  number.toString(16).padStart(4, "0"),
);

/** Fills the bytes of an array from the seed. */
function bytesOf(random: Random) {
  return <Filled extends ArrayBufferView>(array: Filled): Filled => {
    const { buffer, byteOffset, byteLength } = array;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    for (let place = 0; place < byteLength; place += 1) bytes[place] = random.whole(0, 255);
    return array;
  };
}

/**
 * Installs them, `salts` for random bytes. What it returns is disposed of at the end, and
 * everything is as it was before.
 */
export function installVirtualGlobals(
  scheduler: Scheduler,
  { random, salts }: { random: Random; salts: Random },
): Disposable {
  const all = globalThis as unknown as Globals;
  const before = names.map((name) => [name, all[name]] as const);
  const { randomUUID, getRandomValues } = crypto;
  const originals = { random: Math.random, now: performance.now };
  Object.assign(all, timersOf(scheduler), virtualAbort, { Date: virtualDate(scheduler) });
  Math.random = () => random.between(0, 1);
  crypto.randomUUID = uuidsOf(random);
  Object.assign(crypto, { getRandomValues: bytesOf(salts) });
  performance.now = () => scheduler.nowMs;
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) all[name] = value;
      Math.random = originals.random;
      Object.assign(crypto, { randomUUID, getRandomValues });
      performance.now = originals.now;
    },
  };
}

class Timer {
  planned: Planned | undefined;

  cancel(): void {
    if (this.planned !== undefined) this.planned.isCancelled = true;
    this.planned = undefined;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function timersOf(scheduler: Scheduler) {
  const start = (label: string, ms: number, job: () => void, isRepeated: boolean) => {
    const timer = new Timer();
    const { life } = scheduler;
    const begin = () => {
      // A timer is never early, and on a busy machine a little late.
      const lateMs = scheduler.random.between(0, 0.5);
      timer.planned = scheduler.after(Math.max(1, ms) + lateMs, life, label, () => {
        if (isRepeated) begin();
        job();
      });
    };
    begin();
    return timer;
  };
  const cancel = (timer: unknown) => {
    if (timer instanceof Timer) timer.cancel();
  };
  return {
    setTimeout: (job: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      start("timer", ms, () => job(...args), false),
    setInterval: (job: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      start("tick", ms, () => job(...args), true),
    setImmediate: (job: (...args: unknown[]) => void, ...args: unknown[]) =>
      start("immediate", 0, () => job(...args), false),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  };
}

/** The wall clock of the program that asks. */
function virtualDate(scheduler: Scheduler): typeof Date {
  const now = () => Math.floor(beginMs + scheduler.nowMs + scheduler.life.clockMs);
  const Real = Date;
  function Virtual(...args: [] | [number | string | Date]) {
    return args.length === 0 ? new Real(now()) : new Real(...args);
  }
  const { parse, UTC, prototype } = Real;
  return Object.assign(Virtual, { now, parse, UTC, prototype }) as unknown as typeof Date;
}
