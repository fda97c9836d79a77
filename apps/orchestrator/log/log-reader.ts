// Follows the log for this leadership, and stores the cursor on the blackboard for the next leader.

import { sleep } from "../../../lib/async/sleep.ts";
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import { restMs } from "../leader/loops.ts";
import { CursorProgress } from "./cursor-progress.ts";
import { followLog, type LogWork } from "./follow-log.ts";

/** The oldest event whose work is not confirmed, and for how long it has been the oldest. */
export type Unconfirmed = { id: string; type: SettEvent["type"]; ageMs: number };

const saveAfterMs = 200;

export class LogReader {
  readonly #deps: Deps;
  #progress: CursorProgress;
  #saved = "";
  /** Aborts after a reconnect. */
  #broken = new AbortController();
  /**
   * False from a reconnect until the stored cursor was read again: until then ours may be ahead of
   * what Redis has.
   */
  #isCertain = true;
  /**
   * The connection on which our cursor was read. A stop ends the listening to reconnects before the
   * last save.
   */
  #board: BoardAsOf;
  #oldest: { event: SettEvent; sinceMs: number } | undefined;

  constructor(deps: Deps, cursor: string) {
    this.#deps = deps;
    this.#progress = new CursorProgress(cursor);
    this.#board = deps.board.asOf();
  }

  get progress(): CursorProgress {
    return this.#progress;
  }

  /**
   * As `measureLag` found it last. Its age grows while the reader makes no progress, for whatever
   * reason.
   */
  get oldest(): Unconfirmed | undefined {
    if (this.#oldest === undefined) return undefined;
    const { event, sinceMs } = this.#oldest;
    return {
      id: event.id,
      type: event.type,
      ageMs: Math.round(this.#deps.clock.passedMs() - sinceMs),
    };
  }

  /** Finds the oldest event that is not confirmed. */
  async measureLag(): Promise<void> {
    const { board, clock } = this.#deps;
    const [next] = await board.readEvents(this.#progress.confirmed, 1);
    if (next?.id !== this.#oldest?.event.id)
      this.#oldest = next && { event: next, sinceMs: clock.passedMs() };
  }

  /**
   * Runs until the signal aborts; throws Fenced when the epoch is over. After a reconnect it goes
   * on from the stored cursor: a Redis that crashed may have lost the last writes, and handling an
   * event twice is harmless.
   */
  async run(work: LogWork, signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#deps.board.onReconnect(() => {
      this.#isCertain = false;
      this.#broken.abort();
    });
    try {
      while (!signal.aborted) {
        if (!this.#isCertain) await this.#returnToStoredCursor(signal);
        const unbroken = AbortSignal.any([signal, this.#broken.signal]);
        await followLog(this.#deps, work, this.#progress, unbroken);
      }
    } catch (error) {
      // Another turn begins with nothing in work.
      this.#isCertain = false;
      throw error;
    } finally {
      unsubscribe();
    }
  }

  /**
   * Together with other events: a batch of them costs one save. Milliseconds until there may be
   * more to save, and the caller's bell rings for what comes later.
   */
  async saveSoon(signal: AbortSignal): Promise<number> {
    await sleep(saveAfterMs, signal);
    await this.save();
    return this.#saved === this.#progress.reached ? restMs : 0;
  }

  async save(): Promise<void> {
    this.#deps.metrics.inFlight.set(this.#progress.inFlight);
    const cursor = this.#progress.confirmed;
    if (cursor === this.#saved || !this.#isCertain || !this.#board.isCurrent()) return;
    await this.#board.moveCursor(cursor);
    this.#saved = cursor;
  }

  async #returnToStoredCursor(signal: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    this.#broken = new AbortController();
    const board = this.#deps.board.asOf();
    const leader = await untilContact(() => board.readLeader(), { signal, log }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    // Contact was lost again, so the answer may be wrong.
    if (signal.aborted || this.#broken.signal.aborted) return;
    if (leader?.epoch !== board.epoch) throw new Fenced(board.epoch);
    this.#progress = new CursorProgress(leader.cursor);
    this.#saved = leader.cursor;
    this.#board = board;
    this.#isCertain = true;
    this.#oldest = undefined;
  }
}
