// A process that is started again when it ends, as a container with the restart policy
// `unless-stopped` would be.
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { type DetachedProcess, startDetached } from "../support/process/detached-process.ts";

const restartAfterMs = 150;

/** A process or a container, as faults meet it. */
export type Part = {
  /** Ends it at once. It starts again by itself. */
  kill(): Awaitable<void>;
  /** The same, and nothing starts it again before the returned function is called. */
  halt(): Awaitable<() => Awaitable<void>>;
  /** Stops it until the returned function is called. */
  freeze(): Awaitable<() => Awaitable<void>>;
};

type Awaitable<Value> = Value | Promise<Value>;

export class Supervised implements Part, AsyncDisposable {
  readonly #command: readonly [string, ...string[]];
  readonly #environment: Record<string, string>;
  readonly #logFile: string;
  #child: DetachedProcess;
  #isOver = false;
  #isHalted = false;

  /** Runs a command; all that it says is appended to `logFile`. */
  constructor(
    command: readonly [string, ...string[]],
    environment: Record<string, string>,
    logFile: string,
  ) {
    this.#command = command;
    this.#environment = environment;
    this.#logFile = logFile;
    this.#child = this.#start();
  }

  /** Sends SIGKILL. The next process starts a moment later. */
  kill(): void {
    this.#child.signal("SIGKILL");
  }

  /** SIGKILL, and nothing follows it before the returned function is called. */
  halt(): () => void {
    this.#isHalted = true;
    this.kill();
    return () => {
      this.#isHalted = false;
      void this.#child.exited.then(() => this.#restart());
    };
  }

  /** SIGSTOP now, SIGCONT when the returned function is called. */
  freeze(): () => void {
    const child = this.#child;
    child.signal("SIGSTOP");
    return () => child.signal("SIGCONT");
  }

  #start(): DetachedProcess {
    const log = openSync(this.#logFile, "a");
    const env = { PATH: process.env.PATH ?? "", ...this.#environment };
    const child = startDetached(this.#command, { env, output: log });
    closeSync(log);
    void child.exited.then(() => {
      if (!this.#isOver) setTimeout(() => this.#restart(), restartAfterMs);
    });
    return child;
  }

  #restart(): void {
    if (!this.#isOver && !this.#isHalted) this.#child = this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#child[Symbol.asyncDispose]();
  }
}
