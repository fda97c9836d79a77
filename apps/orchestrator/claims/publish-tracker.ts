// Which publications on `artefact_events` come from Sett's own functions? They publish once for
// each artefact, together with its event; a person has made any other by hand. Taking one of Sett's
// own for a person's costs a read and does no harm.

import { RecentMap } from "../../../lib/async/recent-map.ts";

const maxRemembered = 20_000;

/** An event and its publication come by different connections, at most so far apart. */
const maxApartMs = 2_000;

/** What the owner has written may be such that Redis refuses to read it, however often. */
const maxTries = 10;

export class PublishTracker {
  /** id → until when the publication that belongs to its event may come. */
  readonly #expected = new RecentMap<string, number>(maxRemembered);
  /** Publications without an event so far: how many of each id, and when the first arrived. */
  readonly #unexplained = new Map<string, { count: number; sinceMs: number }>();
  /** Counts for each that is to be looked at again how often it could not be checked. */
  readonly #failures = new RecentMap<string, number>(maxRemembered);

  /** An `artefact_created` event of this artefact has arrived. */
  noteEvent(id: string, nowMs: number): void {
    const published = this.#unexplained.get(id);
    if (published === undefined) this.#expected.set(id, nowMs + maxApartMs);
    else if (published.count === 1) this.#unexplained.delete(id);
    else published.count--;
  }

  /** A publication of this id has arrived. */
  notePublication(id: string, nowMs: number): void {
    const until = this.#expected.get(id);
    this.#expected.delete(id);
    if (until !== undefined && nowMs <= until) return;
    const before = this.#unexplained.get(id);
    if (before === undefined) this.#unexplained.set(id, { count: 1, sinceMs: nowMs });
    else before.count++;
  }

  /** True when every publication has its event. */
  get isExplained(): boolean {
    return this.#unexplained.size === 0;
  }

  /** The ids of publications that arrived before `beforeMs` and have no event so far. */
  unexplained(beforeMs: number): string[] {
    return [...this.#unexplained].filter(([, { sinceMs }]) => sinceMs < beforeMs).map(([id]) => id);
  }

  /** True when there is still no event for it; the publication is then forgotten. */
  forgetUnexplained(id: string): boolean {
    return this.#unexplained.delete(id);
  }

  /**
   * It could not be checked, and is looked at again. False where that was tried often enough; while
   * Redis is away, as `isAway` says, nothing is tried.
   */
  lookAgain(id: string, nowMs: number, isAway: boolean): boolean {
    const failures = (this.#failures.get(id) ?? 0) + (isAway ? 0 : 1);
    if (failures >= maxTries) {
      this.#failures.delete(id);
      return false;
    }
    this.#failures.set(id, failures);
    this.notePublication(id, nowMs);
    return true;
  }
}
