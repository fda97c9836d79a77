// Reads what processes do, as Linux shows it to everyone.
import { readFileSync } from "node:fs";

/** `mark` is another one when they have done anything since; `processorMs`: all that they took. */
export interface Activity {
  readonly mark: string;
  readonly processorMs: number;
}

/** Linux shows the time of processors in hundredths of a second, whatever its own clock. */
const tickMs = 10;

/**
 * The activity of the processes and of all that they have started. Undefined where none of them can
 * be seen, as on macOS.
 */
export function activityOf(pids: readonly number[], now = Date.now()): Activity | undefined {
  const marks: string[] = [];
  let ticks = 0;
  const left = [...pids];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    const seen = activityOfOne(pid, now);
    if (seen === undefined) continue;
    marks.push(seen.mark);
    ticks += seen.ticks;
    left.push(...childrenOf(pid));
  }
  return marks.length === 0 ? undefined : { mark: marks.join("\n"), processorMs: ticks * tickMs };
}

function activityOfOne(pid: number, now: number): { mark: string; ticks: number } | undefined {
  const stat = read(pid, "stat");
  // The name of the program, in brackets, may have any character.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  if (state === undefined || fields.length < 14) return undefined;
  // Faults of pages of its own and of its ended children, then their ticks, as proc(5) orders them.
  const counts = fields.slice(6, 14);
  const ticks = counts.slice(4).reduce((sum, each) => sum + Number(each), 0);
  // Its disk is at work for it: a large file that is made safe on one may take minutes.
  const disk = state === "D" ? now : "";
  // The bytes that it reads and writes are shown to its own user alone, and not of each program.
  return { mark: `${pid} ${counts.join(" ")} ${disk} ${read(pid, "io") ?? ""}`, ticks };
}

function childrenOf(pid: number): number[] {
  return (read(pid, `task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

function read(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return undefined;
  }
}
