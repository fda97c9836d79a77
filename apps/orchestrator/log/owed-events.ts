// Events that could not be handled. The cursor passes them, so that the others need not wait; each
// stays on the blackboard until it is handled, by this leader or by a later one.
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { OwedEvent } from "../../../lib/blackboard/port/owed-event.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { isAway, untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import type { EventHandler } from "./handle-event.ts";

/**
 * An event that could not be handled is tried again, and where nothing is wrong that is one read of
 * an empty hash.
 */
export const owedEveryMs = 5_000;

/** They are tried together. Few enough that the work of other events is hardly delayed. */
const atOnce = 100;
const maxReasonLength = 500;

/** How many there are, and the oldest of them. */
export type Owed = { count: number; id: string; type: SettEvent["type"]; reason: string };

type OwedDeps = Pick<Deps, "board" | "clock" | "log">;
type Handler = Pick<EventHandler, "handle">;

export class OwedEvents {
  readonly #deps: OwedDeps;
  readonly #handler: Handler;
  /** Where the last turn has ended: each turn looks at the next few. */
  #after = "0";
  #owed: Owed | undefined;

  constructor(deps: OwedDeps, handler: Handler) {
    this.#deps = deps;
    this.#handler = handler;
  }

  /** An event that this leader has tried, and could not handle; undefined where there is none. */
  get owed(): Owed | undefined {
    return this.#owed;
  }

  /** Puts the event aside after so many `tries`, on record. False where that is refused, too. */
  async giveUp(
    event: SettEvent,
    error: unknown,
    tries: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { board, clock, log } = this.#deps;
    const { id, type, goal_id, claim_id, artefact_id, agent } = event;
    log.error("Gave up an event that cannot be handled; it is tried again from time to time", {
      event: id,
      type,
      error,
      tries,
    });
    const reason = messageOf(error).slice(0, maxReasonLength);
    const about = Object.fromEntries(
      Object.entries({ goal_id, claim_id, artefact_id, agent }).filter(([, value]) => value),
    );
    const draft = {
      type: "event_given_up" as const,
      ...about,
      data: { event: id, type, tries, reason },
    };
    const write = () => board.oweEvent({ event, since: clock.now().toISOString(), reason }, draft);
    try {
      await untilContact(write, { signal, log });
    } catch (failed) {
      if (failed instanceof Fenced) throw failed;
      if (!signal.aborted)
        log.error("Could not give up an event; trying it again", {
          event: id,
          type,
          error: failed,
        });
      return false;
    }
    this.#owed ??= { count: 1, id, type, reason };
    return true;
  }

  /** Tries the next few again. */
  async runOnce(): Promise<void> {
    const { log } = this.#deps;
    const board = this.#deps.board.asOf();
    const { count, owed } = await board.listOwed(atOnce, this.#after);
    const isLastPart = owed.length < atOnce;
    this.#after = isLastPart ? "0" : (owed.at(-1)?.event.id ?? "0");
    const reasons = await Promise.all(owed.map((one) => this.#handle(one, board)));
    const settled = owed
      .filter((_, index) => reasons[index] === undefined)
      .map(({ event }) => event.id);
    if (settled.length > 0) {
      await board.settleOwed(settled);
      log.info("Handled events that were given up before", { events: settled.length });
    }
    const left = owed.findIndex((_, index) => reasons[index] !== undefined);
    const { event } = owed[left] ?? {};
    if (event !== undefined)
      this.#owed = {
        count: count - settled.length,
        id: event.id,
        type: event.type,
        reason: reasons[left] ?? "",
      };
    else if (count === settled.length) this.#owed = undefined;
  }

  /** Why it still cannot be handled. One that cannot be read stays until a person removes it. */
  async #handle({ event, reason }: OwedEvent, board: BoardAsOf): Promise<string | undefined> {
    if (event.type === "unreadable") return reason;
    try {
      await this.#handler.handle(event, board);
      return undefined;
    } catch (error) {
      if (error instanceof Fenced || isAway(error)) throw error;
      return messageOf(error).slice(0, maxReasonLength);
    }
  }
}
