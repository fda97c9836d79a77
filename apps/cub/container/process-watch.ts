// Sees to it that commands have no more processes and threads than their agent may. The container
// may have some more, for the cub: where it can make no thread, its runtime aborts. The kernel has
// no limit for a part of a container, so the cub looks.
import { statSync } from "node:fs";
import process from "node:process";
import { type ProcessEntry, readProcesses } from "../../../lib/process/process-table.ts";
import { KernelWatch, numberIn, textOf } from "./kernel-watch.ts";

/**
 * The kernel counts here how many processes and threads the container has, in cgroup version 2 and
 * 1.
 */
const counters = ["/sys/fs/cgroup/pids.current", "/sys/fs/cgroup/pids/pids.current"];
const events = ["/sys/fs/cgroup/pids.events", "/sys/fs/cgroup/pids/pids.events"];

/** A program that the Engine starts beside the commands, such as a health check, has fewer. */
const ofEngine = 64;

export class ProcessWatch extends KernelWatch {
  readonly #limit: number;
  readonly #counter = counters.find((path) => numberIn(path) !== undefined);
  protected readonly canLook = this.#counter !== undefined;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  /**
   * How often the kernel has refused one, which a command that starts them fast may find before a
   * look does.
   */
  refusals(): number {
    const text = events.map(textOf).find((each) => each !== undefined);
    return Number(/^max (\d+)$/m.exec(text ?? "")?.[1] ?? 0);
  }

  get reason(): string {
    return `The run was ended because it needed more processes and threads than \`resources.limits.pids\` allows, which is ${this.#limit}.`;
  }

  protected isExceeded(): boolean {
    const others = (numberIn(this.#counter ?? "") ?? 0) - threadsOf(process.pid);
    if (others <= this.#limit) return false;
    return others > this.#limit + ofEngine || ofCommands(readProcesses()) > this.#limit;
  }
}

/**
 * Counts the threads of all that descend from process 1, its own left out. A program that the
 * Engine has started has no parent in the container.
 */
function ofCommands(all: readonly ProcessEntry[]): number {
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const isOfCommand = (pid: number | undefined): boolean => {
    for (let one = pid; one !== undefined && one !== 0; one = parents.get(one))
      if (one === process.pid) return true;
    return false;
  };
  return all.reduce((sum, { pid, parent }) => sum + (isOfCommand(parent) ? threadsOf(pid) : 0), 0);
}

/** A folder has two links of its own, and one for each folder in it. */
function threadsOf(pid: number): number {
  return (statSync(`/proc/${pid}/task`, { throwIfNoEntry: false })?.nlink ?? 2) - 2;
}
