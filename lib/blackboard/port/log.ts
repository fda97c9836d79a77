// The log as the rest of Sett reads and writes it. A part of the port.
import type { Actor, EventDraft, SettEvent } from "../../model/event.ts";

export interface Log {
  /**
   * Appends an event that comes with no change of state (`instance_started`, `cancel_requested` …).
   * Its id.
   */
  logEvent(draft: EventDraft, actor: Actor): Promise<string>;
  /**
   * Events after `from` (`0` is the beginning), past ones first, then live, in order, in batches.
   * Ends with the signal. An entry that this program does not know as an event comes as one of type
   * `unreadable`.
   */
  followEvents(from: string, signal: AbortSignal): AsyncIterable<SettEvent[]>;
  /** Events after `from`, at most `count`; empty at the end. */
  readEvents(from: string, count: number): Promise<SettEvent[]>;
  countEvents(): Promise<number>;
  /**
   * `lost`: how many events are missing that no program of Sett has removed: they were deleted by
   * hand. `logged`: how many there have ever been; it never falls.
   */
  countLostEvents(): Promise<{ lost: number; logged: number }>;
  /**
   * The newest events before this one (before the end, where it is undefined), newest first, at
   * most `count`.
   */
  readEventsBefore(before: string | undefined, count: number): Promise<SettEvent[]>;
  /** The id of the last event; `0` when there is none. */
  endOfEvents(): Promise<string>;
}
