// Finds and kills what a process has started and left behind. A container's end takes everything in it along; here a child may have
// left the group and the session, but not the environment that it was born with. Linux only: elsewhere it finds nothing.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/** Handed down to everything that the process of this folder starts, unless somebody clears the environment. */
const markName = "SETT_PART";

export function markOf(folder: string): Record<string, string> {
  return { [markName]: folder };
}

/** What is killed may have just started something, and takes a moment to go: as often as it takes, within reason. */
const maxRounds = 100;
const roundMs = 10;

/** Resolves when nothing of it is left. */
export async function killLeftBehind(folder: string): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const pids = leftBehind(folder);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await sleep(roundMs);
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

/** Empty for a process of somebody else, for one that is gone, and for a zombie. */
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
