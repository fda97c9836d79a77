// Follows the log: finds the spans that are open at the beginning, then hands on each event, and
// each span that ends.
import { sleep } from "../async/sleep.ts";
import { messageOf } from "../model/errors.ts";
import type { SettEvent } from "../model/event.ts";
import { isLater } from "../model/stream-id.ts";
import type { JsonLog } from "../service/json-log.ts";
import { isAway, untilContact } from "../service/until-contact.ts";
import type { TelemetryBoard } from "./board.ts";
import type { FinishedSpan } from "./span.ts";
import type { SpansOfLog } from "./spans-of-log.ts";
import { startPosition } from "./start-position.ts";

const pageSize = 1_000;
const againMs = 1_000;

export type FollowOptions = {
  board: TelemetryBoard;
  spans: SpansOfLog;
  settings: { historyMs: number; sinceMs: number };
  onEvent: (event: SettEvent) => void;
  onSpans: (spans: readonly FinishedSpan[]) => void;
  log: JsonLog;
};

export class LogFollower {
  readonly #options: FollowOptions;
  #begun = "0";
  #position: string | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** The id of the last event that is handled; undefined until it is prepared. */
  get position(): string | undefined {
    return this.#position;
  }

  /**
   * Remembers where the log ends now. Rejects when Redis stays away, and when the signal aborts
   * meanwhile.
   */
  async begin(signal: AbortSignal): Promise<void> {
    const { board, log } = this.#options;
    this.#begun = await untilContact(() => board.endOfEvents(), { signal, log });
  }

  /** Reads up to where the live part begins. Rejects as `begin` does. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { board, spans, settings, log } = this.#options;
    const { from, rebuildFrom } = await untilContact(
      () => startPosition(board, settings, this.#begun),
      { signal, log },
    );
    let past = 0;
    let at = rebuildFrom;
    while (at !== undefined && !signal.aborted) {
      const after: string = at;
      const events = await untilContact(() => board.readEvents(after, pageSize), { signal, log });
      const before = events.filter(({ id }) => !isLater(id, from));
      for (const event of before) spans.handle(event);
      past += before.length;
      at = before.length === events.length ? events.at(-1)?.id : undefined;
    }
    this.#position = from;
    const open = { open_goals: spans.openGoals, open_claims: spans.openClaims };
    log.info("Telemetry begins; what ended before is not exported", {
      after: from,
      past_events: past,
      ...open,
    });
  }

  /** Goes on until the signal aborts. A loss of Redis leaves no gap. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { board, spans, onEvent, onSpans, log } = this.#options;
    while (!signal.aborted) {
      try {
        for await (const events of board.followEvents(this.#position ?? this.#begun, signal)) {
          for (const event of events) {
            onEvent(event);
            onSpans(spans.handle(event));
          }
          this.#position = events.at(-1)?.id ?? this.#position;
        }
      } catch (error) {
        if (!isAway(error))
          log.error("The log could not be followed, trying again", { error: messageOf(error) });
      }
      await sleep(againMs, signal);
    }
  }

  /**
   * Ends the goals that rest although no event came after, unless events came that are not handled
   * yet.
   */
  async tick(): Promise<void> {
    const { board, spans, onSpans } = this.#options;
    if (spans.restingGoals === 0) return;
    const [nowMs, end] = [await board.time(), await board.endOfEvents()];
    if (this.#position !== undefined && !isLater(end, this.#position)) onSpans(spans.tick(nowMs));
  }
}
