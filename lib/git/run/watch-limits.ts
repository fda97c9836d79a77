// Ends a git in which nothing moves, or that takes more than it may.
import type { ChildProcess } from "node:child_process";
import { type Activity, activityOf } from "./activity.ts";

/** The limits of each run of git; the defaults are more than any of our calls needs. */
export interface GitLimits {
  /**
   * Address space. Only where the machine can limit it and has a shell; an agent's container has
   * limits of its own.
   */
  readonly memoryBytes?: number;
  /** How long nothing may move in it: neither its output, nor what the machine shows of it. */
  readonly stillMs?: number;
  /** Processor time, with that of the programs it starts: what data may cost, on any machine. */
  readonly processorMs?: number;
  /** How long it may take in all, however much it moves. */
  readonly timeMs?: number;
  readonly stdoutBytes?: number;
}

/** A run that takes longer never ends; the output has room for the names of a million files. */
export const defaultLimits = {
  stillMs: 2 * 60_000,
  timeMs: 6 * 3_600_000,
  stdoutBytes: 256 * 1024 * 1024,
};

/** Where the machine does not show whether it moves, it may be silent for so long. */
const unseenMs = 15 * 60_000;
const [minLookMs, maxLookMs] = [20, 1_000];
/** It is looked at so often before it counts as still. */
const looksBeforeStill = 20;

/**
 * `note`: the first limit that it has exceeded is its reason. `end`: and git is ended for it.
 * `moved`: its output has come.
 */
export interface LimitWatch {
  readonly moved: () => void;
  readonly note: (sentence: string) => void;
  readonly end: (sentence: string) => void;
  readonly exceeded: () => string | undefined;
}

interface Watched {
  readonly limits?: GitLimits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Is called about each second in which something has moved. */
  readonly onMove?: (() => void) | undefined;
}

/**
 * Ends git when it exceeds a limit, or when it is no longer wanted. `partner`: the git at the other
 * end of its pipe, for which it may wait.
 */
export function watchLimits(
  { limits, signal, onMove }: Watched,
  child: ChildProcess,
  partner?: ChildProcess,
): LimitWatch {
  const { timeMs, ...others } = { ...defaultLimits, ...limits };
  let limit: string | undefined;
  let hasEnded = false;
  const note = (sentence: string) => {
    limit ??= sentence;
  };
  const end = (sentence: string) => {
    note(sentence);
    child.kill("SIGKILL");
    if (hasEnded) closePipes(child);
  };
  const timer = setTimeout(() => end(`it did not end within ${timeMs / 1_000} s`), timeMs);
  const looking = lookAt([child, partner], { ...others, onMove }, end);
  const onAbort = () => end("it was ended");
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  const settle = () => {
    clearTimeout(timer);
    looking.stop();
    signal?.removeEventListener("abort", onAbort);
  };
  child.once("exit", () => {
    hasEnded = true;
  });
  for (const last of ["close", "error"]) child.once(last, settle);
  return { moved: looking.moved, note, end, exceeded: () => limit };
}

export function closePipes(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Looks are counted, and not the time between them: while this program was stopped, so was git. */
function lookAt(
  [child, partner]: [ChildProcess, ChildProcess | undefined],
  { stillMs, processorMs = Infinity, onMove }: { stillMs: number; processorMs?: number } & Watched,
  end: (sentence: string) => void,
): { moved: () => void; stop: () => void } {
  const everyMs = Math.min(maxLookMs, Math.max(minLookMs, stillMs / looksBeforeStill));
  let before: Activity | undefined;
  let [looks, stillLooks, hasOutput] = [0, 0, false];
  let looksAfter = 0;
  const judgeLeft = () => {
    if (partner === undefined && ++looksAfter * everyMs >= stillMs)
      end("it left a program behind that kept its output open");
  };
  const look = () => {
    // A git that has ended costs nothing more, and a partner may still read what it has written.
    if (pidsOf(child).length === 0) return judgeLeft();
    const own = activityOf(pidsOf(child));
    const seen = partner === undefined ? own : activityOf([...pidsOf(child), ...pidsOf(partner)]);
    const hasMoved = hasOutput || seen?.mark !== before?.mark;
    [before, hasOutput] = [seen, false];
    looks++;
    stillLooks = hasMoved ? 0 : stillLooks + 1;
    if (hasMoved) onMove?.();
    const maxMs = seen === undefined ? Math.max(stillMs, unseenMs) : stillMs;
    if (stillLooks * everyMs >= maxMs) end(`nothing has moved in it for ${maxMs / 1_000} s`);
    const tookMs = own?.processorMs ?? looks * everyMs;
    if (tookMs > processorMs) end(`it took more than ${processorMs / 1_000} s of a processor`);
  };
  const timer = setInterval(look, everyMs);
  const moved = () => {
    hasOutput = true;
  };
  return { moved, stop: () => clearInterval(timer) };
}

/** Another process may have the number of one that has ended. */
function pidsOf({ pid, exitCode, signalCode }: ChildProcess): number[] {
  return pid === undefined || exitCode !== null || signalCode !== null ? [] : [pid];
}
