// A process that is started again when it ends, as a container with the restart policy `unless-stopped` would be.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Subprocess } from "bun";

const project = join(import.meta.dir, "../..");
const restartAfterMs = 150;

export class Supervised implements AsyncDisposable {
  readonly #file: string;
  readonly #environment: Record<string, string>;
  readonly #logFile: string;
  #child: Subprocess;
  #isOver = false;

  /** Runs a file of the project under Bun; all that it says is appended to `logFile`. */
  constructor(file: string, environment: Record<string, string>, logFile: string) {
    this.#file = file;
    this.#environment = environment;
    this.#logFile = logFile;
    this.#child = this.#start();
  }

  /** SIGKILL. What follows it starts a moment later. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** SIGSTOP now, SIGCONT when the returned function is called. */
  freeze(): () => void {
    const child = this.#child;
    child.kill("SIGSTOP");
    return () => child.kill("SIGCONT");
  }

  #start(): Subprocess {
    const log = openSync(this.#logFile, "a");
    const child = Bun.spawn([process.execPath, "run", join(project, this.#file)], {
      env: { PATH: process.env.PATH ?? "", ...this.#environment },
      stdio: ["ignore", log, log],
      onExit: () => {
        if (!this.#isOver) setTimeout(() => this.#restart(), restartAfterMs);
      },
    });
    closeSync(log);
    return child;
  }

  #restart(): void {
    if (!this.#isOver) this.#child = this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }
}
