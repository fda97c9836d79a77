// Follows `events` from the stored cursor and has every event handled, many at a time.

import { backOffMs } from "../../lib/async/back-off.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { Fenced } from "../../lib/blackboard/leading.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { isAway, untilContact } from "../../lib/service/until-contact.ts";
import type { CursorProgress } from "./cursor-progress.ts";
import type { Deps } from "./deps.ts";
import type { EventHandler } from "./handle-event.ts";

/** With so many events in work the follower waits: more requests at once do not make Redis faster. */
const maxInFlight = 2_000;

/**
 * An event that cannot be handled is tried so often, over some six seconds, and then skipped: the events after it must not wait for ever.
 */
const maxTries = 8;
const maxReasonLength = 500;

/**
 * Runs until the signal aborts, or contact was lost. Throws Fenced when the epoch is over. Every event is reported to `onEvent` before it is handled.
 */
export async function followLog(
  deps: Deps,
  handler: EventHandler,
  progress: CursorProgress,
  onEvent: (event: SettEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  let failure: unknown;
  const readOn = deps.board.connectionNumber();
  const handle = (event: SettEvent) => begin(handler, event, readOn);
  const work = async (event: SettEvent, begun: Promise<unknown>) => {
    const done = progress.begin(event.id);
    try {
      await untilDone(deps, () => handle(event), event, begun, ending);
      if (!ending.aborted) done();
    } catch (error) {
      failure ??= error;
      failed.abort();
    }
  };
  for await (const batch of deps.board.followEvents(progress.confirmed, ending)) {
    // Redis may have lost these events, and has others under the same ids.
    if (deps.board.connectionNumber() !== readOn) break;
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
function begin(handler: EventHandler, event: SettEvent, readOn: number): Promise<unknown> | undefined {
  try {
    return handler.handle(event, readOn);
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * An unreachable Redis delays the event. Any other failure is logged and the event is tried again; after `maxTries` it is given up, on
 * record.
 */
async function untilDone(
  deps: Deps,
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
        if (failures === maxTries) return await giveUp(deps, event, error, signal);
        deps.log.error("Could not handle an event; trying again", about);
      }
      handling = undefined;
      await sleep(backOffMs(tries, { firstMs: 50, maxMs: 5_000 }), signal);
    }
  }
}

/** Reconciling does the event's work later, where it can see it; the log has the rest for a person. */
async function giveUp(
  { board, log }: Deps,
  { id, type, goal_id, claim_id, artefact_id, agent }: SettEvent,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  log.error("Gave up an event that cannot be handled", { event: id, type, error, tries: maxTries });
  const data = { event: id, type, tries: maxTries, reason: messageOf(error).slice(0, maxReasonLength) };
  const about = Object.fromEntries(Object.entries({ goal_id, claim_id, artefact_id, agent }).filter(([, value]) => value));
  const write = () => board.logAsLeader({ type: "event_given_up", ...about, data });
  await untilContact(write, { signal, log }).catch((failed: unknown) => {
    if (!signal.aborted) throw failed;
  });
}
