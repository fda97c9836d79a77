// Follows the log of one container through its restarts.

import { sleep } from "../async/sleep.ts";
import { isUnreachable } from "../model/errors.ts";
import type { LogLine, Observe } from "../runtime/port.ts";

const restartPollMs = 200;

/**
 * A position in a log: the time of the last printed line, and how many printed lines have that
 * time.
 */
export type LogPosition = { last: string; atLast: number };

export const logStart: LogPosition = { last: "", atLast: 0 };

/** The position after this line. */
export function advance(line: LogLine, before: LogPosition): LogPosition {
  return { last: line.time, atLast: line.time === before.last ? before.atLast + 1 : 1 };
}

/** Called when the Engine no longer answers, and when it does again. */
export type AwayNotes = { away(error: Error): void; back(): void };

/**
 * Ends with the container. A container that its restart policy starts again continues the same log;
 * no line comes twice. `notes`: it waits for an Engine that does not answer; without them it
 * throws.
 */
export async function* followContainer(
  observe: Pick<Observe, "find" | "logs">,
  container: string,
  {
    tail,
    from = logStart,
    notes,
  }: { tail?: number | undefined; from?: LogPosition; notes?: AwayNotes | undefined },
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let now = from;
  let isAway = false;
  for (; !signal.aborted; await sleep(restartPollMs, signal)) {
    try {
      if (isAway) {
        const found = await observe.find(container);
        notes?.back();
        isAway = false;
        if (found === undefined) return;
      }
      for await (const line of linesFrom(observe, container, { tail, from: now }, signal)) {
        now = advance(line, now);
        yield line;
      }
      if (signal.aborted) return;
      const state = (await observe.find(container))?.state.state;
      if (state === undefined || state === "exited" || state === "created") return;
    } catch (error) {
      if (signal.aborted) return;
      if (notes === undefined || !isUnreachable(error)) throw error;
      if (!isAway) notes.away(error);
      isAway = true;
    }
  }
}

/** The lines after a position, until the container ends. */
async function* linesFrom(
  observe: Pick<Observe, "logs">,
  container: string,
  { tail, from: { last, atLast } }: { tail: number | undefined; from: LogPosition },
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const resumed = last === "" ? { tail } : { since: Math.floor(Date.parse(last) / 1000) };
  let isPast = last === "";
  let skipped = 0;
  for await (const line of observe.logs(container, { follow: true, signal, ...resumed })) {
    // `since` has a resolution of one second, so lines of that second come again.
    if (!isPast && line.time < last) continue;
    if (!isPast && line.time === last && skipped < atLast) {
      skipped += 1;
      continue;
    }
    isPast = true;
    yield line;
  }
}
