// One run of a process, from its start until nothing of it is left; its output is logged line by
// line.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../model/errors.ts";
import { identify, type ProcessId } from "../../process/process-id.ts";
import { exitCodeOf } from "./exit-code.ts";
import { killLeftBehind, markOf } from "./left-behind.ts";
import type { LogWriter } from "./log-writer.ts";
import type { ProcessSpec } from "./registry.ts";

/** Shells report it for a command that cannot be started. */
const notStarted = 127;

/** How long to wait for output that an unknown process holds open. */
const drainMs = 1_000;

export class Child {
  /** Undefined when it could not be started. */
  readonly id: ProcessId | undefined;
  readonly #folder: string;
  readonly #process: ChildProcess | undefined;
  readonly #exitCode: Promise<number>;
  readonly #written: Promise<unknown>;

  constructor(spec: ProcessSpec, folder: string, log: LogWriter) {
    this.#folder = folder;
    try {
      const child = start(spec, folder);
      this.#process = child;
      this.id = child.pid === undefined ? undefined : identify(child.pid);
      this.#exitCode = exitCodeOf(child).catch((error) => {
        log.write("stderr", messageOf(error));
        return notStarted;
      });
      this.#written = Promise.all([
        log.capture("stdout", child.stdout),
        log.capture("stderr", child.stderr),
      ]);
    } catch (error) {
      log.write("stderr", messageOf(error));
      this.#exitCode = Promise.resolve(notStarted);
      this.#written = Promise.resolve();
    }
  }

  /** Requests its end (SIGTERM). */
  stop(): void {
    this.#process?.kill("SIGTERM");
  }

  /**
   * Its exit code, once nothing of it is left: processes that it has left behind are killed, as
   * with the end of a container.
   */
  async ended(): Promise<number> {
    const exitCode = await this.#exitCode;
    await killLeftBehind(this.#folder);
    await Promise.race([this.#written, sleep(drainMs, undefined, { ref: false })]);
    this.#process?.stdout?.destroy();
    this.#process?.stderr?.destroy();
    return exitCode;
  }
}

/** In a group and session of its own: what is typed at a terminal does not reach it. */
function start(
  { command: [program = "", ...words], env, workingDir }: ProcessSpec,
  folder: string,
): ChildProcess {
  return spawn(program, words, {
    cwd: workingDir,
    env: { ...env, ...markOf(folder) },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
