// Follows `events` from the stored cursor and has every event handled, many at a time.

import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import type { CursorProgress } from "./cursor-progress.ts";
import type { EventHandler } from "./handle-event.ts";
import type { OwedEvents } from "./owed-events.ts";

/**
 * With so many events in work the follower waits: more requests at once do not make Redis faster.
 */
const maxInFlight = 2_000;

/**
 * An event that cannot be handled is tried so often, over some six seconds, and then put aside: the
 * cursor must not wait for it for ever.
 */
const maxTries = 8;

/**
 * Deals with each event, and with one for which that fails again and again. `onEvent` is called
 * first.
 */
export type LogWork = {
  handler: Pick<EventHandler, "handle">;
  owed: Pick<OwedEvents, "giveUp">;
  onEvent: (event: SettEvent) => void;
};

/**
 * Runs until the signal aborts, or contact was lost. Throws Fenced when the epoch is over.
 */
export async function followLog(
  deps: Deps,
  { handler, owed, onEvent }: LogWork,
  progress: CursorProgress,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  let failure: unknown;
  const board = deps.board.asOf();
  const handle = (event: SettEvent) => begin(handler, event, board);
  const work = async (event: SettEvent, begun: Promise<unknown>) => {
    const done = progress.begin(event.id);
    try {
      await untilDone({ ...deps, owed }, () => handle(event), event, begun, ending);
      if (!ending.aborted) done();
    } catch (error) {
      failure ??= error;
      failed.abort();
    }
  };
  for await (const batch of deps.board.followEvents(progress.confirmed, ending)) {
    // Redis may have lost these events, and has others under the same ids.
    if (!board.isCurrent()) break;
    for (const event of batch) {
      onEvent(event);
      const begun = handle(event);
      if (begun === undefined) progress.skip(event.id);
      else void work(event, begun);
    }
    deps.metrics.events.inc(batch.length);
    while (progress.inFlight > maxInFlight && !ending.aborted) await sleep(1, ending);
  }
  if (failure !== undefined) throw failure;
}

/** Whether it throws or rejects, it is a failure of this event alone. */
function begin(
  handler: LogWork["handler"],
  event: SettEvent,
  board: BoardAsOf,
): Promise<unknown> | undefined {
  try {
    return handler.handle(event, board);
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * An unreachable Redis delays the event. Any other failure is logged and the event is tried again;
 * after `maxTries` it is among those that are owed.
 */
async function untilDone(
  { log, owed }: Pick<Deps, "log"> & Pick<LogWork, "owed">,
  handle: () => Promise<unknown> | undefined,
  event: SettEvent,
  begun: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let handling: Promise<unknown> | undefined = begun;
  let failures = 0;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await (handling ?? handle());
      return;
    } catch (error) {
      if (error instanceof Fenced) throw error;
      if (!isAway(error)) {
        failures++;
        const about = { event: event.id, type: event.type, error, tries: failures };
        if (failures >= maxTries && (await owed.giveUp(event, error, failures, signal))) return;
        log.error("Could not handle an event; trying again", about);
      }
      handling = undefined;
      await sleep(backOffMs(tries, { firstMs: 50, maxMs: 5_000 }), signal);
    }
  }
}
