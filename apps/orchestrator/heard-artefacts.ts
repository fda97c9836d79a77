// Which publications on `artefact_events` are those of our own scripts? They make one for each artefact, together with its event; any
// other was made by hand. Taking one of our own for a person's costs a look and does no harm.

import { RecentMap } from "../../lib/service/recent-map.ts";

const mostRemembered = 20_000;

/** Event and publication come by different connections, but not far apart. */
const apartMs = 2_000;

export class HeardArtefacts {
  /** id → until when (Unix milliseconds) its own publication may come. */
  readonly #expected = new RecentMap<string, number>(mostRemembered);

  /** The log has told of this artefact. */
  created(id: string, nowMs: number): void {
    this.#expected.set(id, nowMs + apartMs);
  }

  /** True for the one publication that belongs to the artefact's event. */
  isOwnPublication(id: string, nowMs: number): boolean {
    const until = this.#expected.get(id);
    this.#expected.delete(id);
    return until !== undefined && nowMs <= until;
  }
}
