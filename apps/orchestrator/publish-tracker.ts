// Which publications on `artefact_events` are those of our own scripts? They make one for each artefact, together with its event; any
// other was made by hand. Taking one of our own for a person's costs a look and does no harm.

import { RecentMap } from "../../lib/async/recent-map.ts";

const maxRemembered = 20_000;

/** Event and publication come by different connections, but not far apart. */
const apartMs = 2_000;

export class PublishTracker {
  /** id → until when (Unix milliseconds) the publication that belongs to its event may come. */
  readonly #expected = new RecentMap<string, number>(maxRemembered);
  /** Publications of which the log has not told yet: how many of each id, and when the first was heard. */
  readonly #unexplained = new Map<string, { times: number; heardMs: number }>();

  /** The log has told of this artefact. */
  created(id: string, nowMs: number): void {
    const heard = this.#unexplained.get(id);
    if (heard === undefined) this.#expected.set(id, nowMs + apartMs);
    else if (heard.times === 1) this.#unexplained.delete(id);
    else heard.times--;
  }

  /** Somebody has published this id. */
  published(id: string, nowMs: number): void {
    const until = this.#expected.get(id);
    this.#expected.delete(id);
    if (until !== undefined && nowMs <= until) return;
    const before = this.#unexplained.get(id);
    if (before === undefined) this.#unexplained.set(id, { times: 1, heardMs: nowMs });
    else before.times++;
  }

  /** Publications heard before `beforeMs` that no event explains so far. */
  unexplained(beforeMs: number): string[] {
    return [...this.#unexplained].filter(([, { heardMs }]) => heardMs < beforeMs).map(([id]) => id);
  }

  /** True when no event has explained it meanwhile; it is then no longer kept. */
  takeUnexplained(id: string): boolean {
    return this.#unexplained.delete(id);
  }
}
