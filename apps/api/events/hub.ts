// Follows the log once for all clients of this process: Redis sees one reader, however many watch.
import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { compareIds } from "./event-id.ts";
import { type EventFilter, isWanted } from "./filter.ts";
import { Pace } from "./pace.ts";
import { PastPages } from "./past-pages.ts";
import { Sent } from "./sent.ts";

type Board = Pick<PersonBlackboard, "followEvents" | "readEvents" | "endOfEvents" | "onReconnect">;

/**
 * Events that stay in memory, for clients that are a little behind: at most one and a half times so
 * many, and some 24 MB.
 */
const defaultRingSize = 16_384;
const maxRingBytes = 16 * 1024 * 1024;
const retryMs = 500;
/** A follower that is in no hurry gets what has come in this time at once. */
const followMs = 100;
const followAtOnce = 1_000;
const lookMs = 60_000;

const unfiltered: EventFilter = { types: [] };

/** This client waits: nothing that it wants has come after `past` up to the newest event. */
type Waiter = { past: string; filter: EventFilter; wake: () => void };

export class EventHub {
  readonly #board: Board;
  readonly #log: JsonLog;
  readonly #ringSize: number;
  /** The newest events; what is before them is in Redis. */
  #ring: Sent[] = [];
  /** The event before the first of the ring: clients behind it read Redis. */
  #before: string | undefined;
  #last: string | undefined;
  #ringBytes = 0;
  readonly #past: PastPages;
  /** The part that was last taken out of the ring is kept: as a rule all clients take the same. */
  #taken: { key: string; sent: readonly Sent[] } | undefined;
  readonly #waiting = new Set<Waiter>();
  readonly #pace = new Pace();
  readonly #listeners = new Set<(events: readonly SettEvent[]) => void>();

  constructor(board: Board, log: JsonLog, ringSize = defaultRingSize) {
    this.#board = board;
    this.#past = new PastPages(board);
    this.#log = log;
    this.#ringSize = ringSize;
  }

  /** The id of the newest event that has arrived here; undefined until the log is followed. */
  get last(): string | undefined {
    return this.#last;
  }

  /** Follows the log until the signal; a Redis that is away is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#last ??= await this.#board.endOfEvents();
        this.#before ??= this.#last;
        this.#wake();
        for await (const events of this.#board.followEvents(this.#last, signal)) {
          this.#take(events);
          const wait = this.#pace.after(events.length, performance.now());
          if (wait > 0) await sleep(wait, signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn("The log cannot be followed, trying again", { error: messageOf(error) });
        await sleep(retryMs, signal);
      }
    }
  }

  /** Called with all events, in order. Returns the function that ends it. */
  listen(listener: (events: readonly SettEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the events after this one that are in memory, at most so many; undefined where some of
   * them are only in Redis, or the log is not followed yet.
   */
  after(id: string, most: number): readonly Sent[] | undefined {
    if (this.#before === undefined || compareIds(id, this.#before) < 0) return undefined;
    const newest = this.#ring.at(-1)?.event.id;
    if (newest === undefined || compareIds(id, newest) >= 0) return [];
    const key = `${id} ${newest} ${most}`;
    if (this.#taken?.key === key) return this.#taken.sent;
    let [low, high] = [0, this.#ring.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIds(this.#ring[middle]?.event.id ?? "0", id) <= 0) low = middle + 1;
      else high = middle;
    }
    const sent = this.#ring.slice(low, low + most);
    this.#taken = { key, sent };
    return sent;
  }

  /**
   * The events after this one, from memory, else from Redis; at most about `count`. Empty where
   * there are none, and after the signal.
   */
  async read(id: string, count: number, over?: AbortSignal): Promise<readonly Sent[]> {
    return this.after(id, count) ?? (await this.#past.read(id, count, over));
  }

  /**
   * All events after this one, in batches, about a tenth of a second late; ends with the signal.
   * Throws where the past cannot be read.
   */
  async *follow(from: string, signal: AbortSignal): AsyncGenerator<SettEvent[]> {
    for (let last = from; !signal.aborted; ) {
      const sent = await this.read(last, followAtOnce, signal);
      if (signal.aborted) return;
      last = sent.at(-1)?.event.id ?? last;
      if (sent.length > 0) yield sent.map(({ event }) => event);
      else await this.changed(last, lookMs, signal);
      if (sent.length < followAtOnce) await sleep(followMs, signal);
    }
  }

  /**
   * Resolves when there is an event after this one that is wanted, after `ms`, or at the signal:
   * with the id of an event up to which none is wanted. An event that no client wants wakes none:
   * hundreds may watch a goal each.
   */
  async changed(
    id: string,
    ms: number,
    signal: AbortSignal,
    filter: EventFilter = unfiltered,
  ): Promise<string> {
    if (signal.aborted || (this.#last !== undefined && compareIds(this.#last, id) > 0)) return id;
    return await new Promise<string>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        this.#waiting.delete(waiter);
        resolve(waiter.past);
      };
      const waiter: Waiter = { past: id, filter, wake: finish };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Resolves when all that is in the log now has arrived here, or after `ms`: false then. */
  async caughtUp(ms: number, signal: AbortSignal): Promise<boolean> {
    const end = await this.#board.endOfEvents();
    const deadline = performance.now() + ms;
    while (this.#last === undefined || compareIds(this.#last, end) < 0) {
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted) return false;
      await this.changed(this.#last ?? "0", left, signal);
    }
    return true;
  }

  #take(events: readonly SettEvent[]): void {
    const before = this.#last;
    for (const event of events) {
      const one = new Sent(event);
      this.#ring.push(one);
      this.#ringBytes += one.bytes;
    }
    this.#last = events.at(-1)?.id ?? this.#last;
    // Cut only now and then: each cut moves all that stays.
    if (this.#ring.length > this.#ringSize * 1.5 || this.#ringBytes > maxRingBytes * 1.5)
      this.#cut();
    for (const listener of this.#listeners) listener(events);
    if (this.#waiting.size === 0) return;
    const goals = new Set<string | undefined>(events.map(({ goal_id }) => goal_id));
    for (const waiter of [...this.#waiting]) {
      const { goal } = waiter.filter;
      // A client that says it is elsewhere looks for itself.
      if (waiter.past !== before) waiter.wake();
      else if (goal !== undefined && !goals.has(goal)) waiter.past = this.#last ?? waiter.past;
      else if (isReached(waiter, events)) waiter.wake();
    }
  }

  #cut(): void {
    let from = Math.max(0, this.#ring.length - this.#ringSize);
    let bytes = this.#ring.slice(from).reduce((sum, one) => sum + one.bytes, 0);
    for (; bytes > maxRingBytes; from += 1) bytes -= this.#ring[from]?.bytes ?? 0;
    this.#before = this.#ring[from - 1]?.event.id ?? this.#before;
    this.#ring = this.#ring.slice(from);
    this.#ringBytes = bytes;
  }

  #wake(): void {
    for (const { wake } of [...this.#waiting]) wake();
  }
}

/** Says whether one of the events is wanted. The events before it are past. */
function isReached(waiter: Waiter, events: readonly SettEvent[]): boolean {
  for (const event of events) {
    if (isWanted(event, waiter.filter)) return true;
    waiter.past = event.id;
  }
  return false;
}
