// Processes beside this one, and the marks that a cub knows them by.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readOwnProcess } from "../../../apps/cub/container/own-process.ts";
import type { ProcessMark } from "../../../lib/model/claim.ts";
import { identify } from "../../../lib/process/process-id.ts";

export const own = readOwnProcess() as ProcessMark;

const children: ChildProcess[] = [];

/** To be called when the tests are over. */
export function endMarkedProcesses(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** The mark of a process that lives until the tests are over. */
export function livingMark(): ProcessMark {
  return start().mark;
}

/** The mark of a process that has ended. */
export async function endedMark(): Promise<ProcessMark> {
  const { child, mark } = start();
  child.kill("SIGKILL");
  await once(child, "exit");
  return mark;
}

function start(): { child: ChildProcess; mark: ProcessMark } {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  children.push(child);
  const id = identify(child.pid ?? 0);
  if (id === undefined) throw new Error("The process has not started.");
  return { child, mark: { ...own, ...id } };
}
