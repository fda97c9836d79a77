// Identifies a process so that a later one with the same number is not mistaken for it: the system
// reuses process numbers.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

/** `born` differs for any two processes that have ever had the same number on this machine. */
export type ProcessId = { pid: number; born: string };

/**
 * Undefined when there is no such process, or when it is a zombie: it has ended, and its parent has
 * not waited for it yet.
 */
export function identify(pid: number): ProcessId | undefined {
  const born = process.platform === "linux" ? bornByProc(pid) : bornByPs(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive({ pid, born }: ProcessId): boolean {
  return identify(pid)?.born === born;
}

/** Signals the process, or with `group` all of the group that it leads. False when it has ended. */
export function sendSignal(id: ProcessId, signal: NodeJS.Signals, { group = false } = {}): boolean {
  if (!isAlive(id)) return false;
  try {
    process.kill(group ? -id.pid : id.pid, signal);
    return true;
  } catch {
    // It has just ended.
    return false;
  }
}

/** A zombie, and a process that is about to be removed. */
const endedStates = new Set(["Z", "X"]);
/** Among the fields after the state. */
const startTimeAt = 18;

/**
 * The start is counted in ticks since the boot of the machine, so the id of the boot is part of it.
 */
function bornByProc(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The program's name, in brackets, may hold anything, brackets too.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  if (state === undefined || endedStates.has(state)) return undefined;
  return `${fields[startTimeAt]}@${readText("/proc/sys/kernel/random/boot_id")?.trim()}`;
}

function bornByPs(pid: number): string | undefined {
  try {
    const [state = "", ...start] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
    })
      .trim()
      .split(/\s+/);
    return endedStates.has(state.slice(0, 1)) ? undefined : start.join(" ");
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
