// Finds and kills processes that a process has started and left behind. The end of a container ends
// everything in it; here a child may have left the group and the session, but it has the
// environment that it was started with. Linux only: elsewhere it finds nothing.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Inherited by everything that the process of this folder starts, unless a program clears the
 * environment.
 */
const markName = "SETT_PART";

export function markOf(folder: string): Record<string, string> {
  return { [markName]: folder };
}

/**
 * A killed process may have just started another, and needs a moment to end: so the search is
 * repeated.
 */
const maxTries = 100;
const pollMs = 10;

/** Resolves when nothing of it is left. */
export async function killLeftBehind(folder: string): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const pids = leftBehind(folder);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await sleep(pollMs);
  }
}

function leftBehind(folder: string): number[] {
  const mark = `${markName}=${folder}`;
  const numbers = processNumbers().filter((pid) => pid !== process.pid);
  return numbers.filter((pid) => environmentOf(pid).split("\0").includes(mark));
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}

/** Empty for a process of another user, for one that has ended, and for a zombie. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
