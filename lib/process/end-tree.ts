// Ends a process and all that it has started, wherever these have gone to other process groups.
import { execFileSync } from "node:child_process";
import process from "node:process";
import { readProcesses } from "./process-table.ts";

/** SIGTERM to the process first, so that it starts nothing more, then to its descendants. */
export function endTree(pid: number): void {
  const descendants = descendantsOf(pid, parents());
  for (const each of [pid, ...descendants]) {
    try {
      process.kill(each, "SIGTERM");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function descendantsOf(pid: number, all: readonly Parent[]): number[] {
  const children = all.filter(({ parent }) => parent === pid).map((child) => child.pid);
  return children.flatMap((child) => [child, ...descendantsOf(child, all)]);
}

type Parent = { pid: number; parent: number };

function parents(): Parent[] {
  if (process.platform === "linux") return readProcesses();
  try {
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
      .trim()
      .split("\n");
    return lines.map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent };
    });
  } catch {
    return [];
  }
}
