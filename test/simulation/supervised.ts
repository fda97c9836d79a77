// One program and who keeps it running: it starts, crashes, is frozen and started again; it never
// knows why.
import { Life } from "./life.ts";
import type { Scheduler } from "./scheduler.ts";

/** How long a container runtime waits before it starts a program again. */
const restartAfterMs = 500;

/** Runs until `stop` aborts; when it rejects, or calls `exit`, its process ends. */
export type Main = (process: {
  stop: AbortSignal;
  exit: (error: unknown) => void;
}) => Promise<void>;

export class Supervised {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #main: Main;
  readonly #nextNumber: () => number;
  /** Why its process has ended, each time that it did so by itself. */
  readonly exits: unknown[] = [];
  /** By how much the wall clock of its machine is ahead. */
  clockMs = 0;
  #life: Life | undefined;
  #stop = new AbortController();
  #isWanted = false;

  constructor(name: string, scheduler: Scheduler, nextNumber: () => number, main: Main) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#nextNumber = nextNumber;
    this.#main = main;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get isRunning(): boolean {
    return this.#life?.isAlive === true && !this.#life.isPaused;
  }

  start(): void {
    this.#isWanted = true;
    if (this.#life?.isAlive === true) return;
    const life = new Life(this.name, this.#nextNumber());
    life.clockMs = this.clockMs;
    const stop = new AbortController();
    this.#life = life;
    this.#stop = stop;
    this.#scheduler.after(this.#scheduler.random.between(0, 5), life, "start", () => {
      const exit = (error: unknown) => this.#exited(life, error);
      this.#main({ stop: stop.signal, exit }).then(
        () => this.#exited(life, undefined),
        (error: unknown) => this.#exited(life, error),
      );
    });
  }

  /** Gone at once, with all that it was doing. */
  crash(): void {
    this.#isWanted = false;
    this.#life?.end();
  }

  /**
   * Stops the process as SIGTERM asks it to, and kills it where it has not ended in time. Where it
   * is wanted again meanwhile, it is started after that.
   */
  stop(withinMs: number): void {
    const life = this.#life;
    this.#isWanted = false;
    if (life === undefined) return;
    this.#scheduler.after(0, life, "stop", () => this.#stop.abort("SIGTERM"));
    this.#scheduler.after(withinMs, life, "kill", () => this.#exited(life, undefined));
  }

  pause(): void {
    this.#life?.pause();
  }

  resume(): void {
    if (this.#life !== undefined) this.#scheduler.resume(this.#life);
  }

  setClock(byMs: number): void {
    this.clockMs += byMs;
    if (this.#life !== undefined) this.#life.clockMs = this.clockMs;
  }

  #exited(life: Life, error: unknown): void {
    if (!life.isAlive) return;
    life.end();
    if (error !== undefined) this.exits.push(error);
    if (!this.#isWanted || this.#life !== life) return;
    const restart = new Life("supervisor", 0);
    this.#scheduler.after(restartAfterMs, restart, `start ${this.name} again`, () => {
      if (this.#isWanted && this.#life === life) this.start();
    });
  }
}
