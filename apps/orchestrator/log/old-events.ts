// Removes the events of no goal that are older than sett.yml wants to keep them: starts, refusals,
// skipped runs of triggers, calls of the API. Those of a goal go with it, into the archive of `sett
// prune`.
import type { SettEvent } from "../../../lib/model/event.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { Deps } from "../leader/deps.ts";

const pageSize = 500;

/** The rest between two pages, and between two looks: what is to go after days is in no hurry. */
const pageEveryMs = 250;
const lookEveryMs = 3_600_000;

/** An event that no program can read may be the only trace of what has damaged it. */
const kept = new Set<SettEvent["type"]>(["unreadable"]);

type OldEventsDeps = Pick<Deps, "board" | "policy" | "log">;

export class OldEvents {
  readonly #deps: OldEventsDeps;
  /** Every event up to here that was to be removed is gone. */
  #place = "0";

  constructor(deps: OldEventsDeps) {
    this.#deps = deps;
  }

  /** Looks at the next page of the log; milliseconds after which to go on. */
  async runOnce(): Promise<number> {
    const { board, policy, log } = this.#deps;
    const { other_events_ms, sealed } = policy;
    if (other_events_ms === undefined) return lookEveryMs;
    const [events, nowMs, done] = await Promise.all([
      board.readEvents(this.#place, pageSize),
      board.time(),
      this.#doneUpTo(sealed === true),
    ]);
    const old = events.filter(
      ({ id }) => Number.parseInt(id, 10) < nowMs - other_events_ms && !isLater(id, done),
    );
    const ids = old
      .filter(({ goal_id, type }) => goal_id === undefined && !kept.has(type))
      .map(({ id }) => id);
    if (ids.length > 0) {
      await board.removeOldEvents(ids);
      log.info("Removed old events of no goal", {
        events: ids.length,
        before_ms: nowMs - other_events_ms,
      });
    }
    this.#place = old.at(-1)?.id ?? this.#place;
    return old.length === pageSize ? pageEveryMs : lookEveryMs;
  }

  /**
   * The place in the log up to which every event is handled, every notice sent, and, where a notary
   * seals the log, every event sealed.
   */
  async #doneUpTo(isSealed: boolean): Promise<string> {
    const { board } = this.#deps;
    const [leader, notices, sealed = "0"] = await Promise.all([
      board.readLeader(),
      board.readNoticeCursor(),
      board.readSealedPlace(),
    ]);
    const places = [leader?.cursor ?? "0", ...(notices === undefined ? [] : [notices])];
    if (isSealed) places.push(sealed);
    return places.reduce((one, other) => (isLater(one, other) ? other : one));
  }
}
