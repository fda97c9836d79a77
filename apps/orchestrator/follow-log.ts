// Follows `events` from the stored cursor and lets every event do its work, many at a time.
import type { SettEvent } from "../../lib/model/event.ts";
import { backOffMs } from "../../lib/service/back-off.ts";
import { pause } from "../../lib/service/pause.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { CursorProgress } from "./cursor-progress.ts";
import type { EventHandler } from "./handle-event.ts";
import { Fenced, type Parts } from "./parts.ts";

/** Beyond this the follower waits: Redis answers no faster for being asked more at once. */
const mostInFlight = 2_000;

/**
 * Runs until the signal aborts. Throws Fenced when the epoch is over. Every event is reported to `onEvent` before it is handled.
 */
export async function followLog(
  parts: Parts,
  handler: EventHandler,
  progress: CursorProgress,
  epoch: number,
  onEvent: (event: SettEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  let failure: unknown;
  const work = async (event: SettEvent, begun: Promise<unknown>) => {
    const done = progress.begin(event.id);
    try {
      await untilDone(parts, handler, event, begun, epoch, ending);
      if (!ending.aborted) done();
    } catch (error) {
      failure ??= error;
      failed.abort();
    }
  };
  for await (const batch of parts.board.followEvents(progress.confirmed, ending)) {
    for (const event of batch) {
      onEvent(event);
      const begun = handler.handle(event, epoch);
      if (begun === undefined) progress.pass(event.id);
      else void work(event, begun);
    }
    parts.metrics.events.inc(batch.length);
    while (progress.inFlight > mostInFlight && !ending.aborted) await pause(1, ending);
  }
  if (failure !== undefined) throw failure;
}

/** A Redis that is away delays the event; anything else unexpected is logged and retried, because no event may be skipped. */
async function untilDone(
  { log }: Parts,
  handler: EventHandler,
  event: SettEvent,
  begun: Promise<unknown>,
  epoch: number,
  signal: AbortSignal,
): Promise<void> {
  let handling: Promise<unknown> | undefined = begun;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await (handling ?? handler.handle(event, epoch));
      return;
    } catch (error) {
      if (error instanceof Fenced) throw error;
      if (!isAway(error))
        log.error("Could not handle an event; trying again", { event: event.id, type: event.type, error, tries });
      handling = undefined;
      await pause(backOffMs(tries, { firstMs: 50, mostMs: 5_000 }), signal);
    }
  }
}
