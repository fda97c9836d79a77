// Who goes on next? One queue of events in virtual time for all programs: one event runs, with
// everything that follows from it without waiting, then the next. No real time passes.
import { drainMicrotasks } from "bun:jsc";
import type { Random } from "../chaos/random.ts";
import { EventQueue, type Queued } from "./event-queue.ts";
import type { Life } from "./life.ts";

/** 1 January 2026: the wall clocks begin here. */
export const beginMs = 1_767_225_600_000;

type Event = Queued & { life: Life; label: string; run: () => void; isCancelled: boolean };

/** An event that can be called off. */
export type Planned = { isCancelled: boolean };

export class Scheduler {
  readonly random: Random;
  readonly #queue = new EventQueue<Event>();
  /** Called before each event, for people who read. */
  readonly #trace: ((line: string) => void) | undefined;
  #nowMs = 0;
  #life: Life;
  #count = 0;
  #digest = 0;

  /** `world`: to whom everything belongs that no program does. */
  constructor(random: Random, world: Life, trace?: (line: string) => void) {
    this.random = random;
    this.#life = world;
    this.#trace = trace;
  }

  /** Virtual milliseconds since the beginning, by a clock that is never set. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Whose event runs now. */
  get life(): Life {
    return this.#life;
  }

  /** How many events have run. */
  get count(): number {
    return this.#count;
  }

  /** Equal for two schedules in which the same happened in the same order. */
  get digest(): string {
    return `${this.#count}-${(this.#digest >>> 0).toString(16)}`;
  }

  /**
   * `life`: whose event it is; it does not happen after that life's end, and not before a pause of
   * it has ended.
   */
  after(delayMs: number, life: Life, label: string, run: () => void): Planned {
    return this.at(this.#nowMs + Math.max(0, delayMs), life, label, run);
  }

  at(atMs: number, life: Life, label: string, run: () => void): Planned {
    const event = {
      at: atMs,
      tie: this.random.between(0, 1),
      life,
      label,
      run,
      isCancelled: false,
    };
    this.#queue.push(event);
    return event;
  }

  /** Ends a pause: what has waited happens now, in order. */
  resume(life: Life): void {
    for (const [index, run] of life.resume().entries())
      this.after(index / 1_000, life, "resumed", run);
  }

  /**
   * Runs events until `isOver` (asked before each of them); false when `untilMs` has come first, or
   * nothing is left to happen.
   */
  run(isOver: () => boolean, untilMs: number): boolean {
    drainMicrotasks();
    while (!isOver()) {
      const event = this.#queue.pop();
      if (event === undefined || event.at > untilMs) return false;
      if (event.isCancelled || !event.life.isAlive) continue;
      this.#nowMs = Math.max(this.#nowMs, event.at);
      if (event.life.isPaused) event.life.defer(() => this.#perform(event));
      else this.#perform(event);
    }
    return true;
  }

  #perform(event: Event): void {
    if (event.isCancelled || !event.life.isAlive) return;
    const before = this.#life;
    this.#life = event.life;
    this.#count += 1;
    this.#note(event);
    event.run();
    drainMicrotasks();
    this.#life = before;
  }

  #note({ life, label }: Event): void {
    const moment = Math.round(this.#nowMs * 1_000);
    this.#digest = (Math.imul(this.#digest, 31) + moment + label.length + life.number * 7) | 0;
    this.#trace?.(`${(this.#nowMs / 1_000).toFixed(6)} ${life.name} ${label}`);
  }
}
