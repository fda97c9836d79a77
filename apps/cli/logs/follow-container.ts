// What one container writes, and goes on writing, through its restarts.

import { sleep } from "../../../lib/async/sleep.ts";
import type { ContainerRuntime, LogLine } from "../../../lib/runtime/port.ts";

const restartPollMs = 200;

/** Up to where a log was told: the time of the last line, and how many lines of that time. */
export type Told = { last: string; atLast: number };

export const nothingTold: Told = { last: "", atLast: 0 };

export function toldUpTo(line: LogLine, before: Told): Told {
  return { last: line.time, atLast: line.time === before.last ? before.atLast + 1 : 1 };
}

/** A container that its restart policy starts again goes on in the same log; nothing is told twice. Ends with the container. */
export async function* followContainer(
  runtime: ContainerRuntime,
  container: string,
  { tail, told = nothingTold }: { tail?: number | undefined; told?: Told },
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let now = told;
  while (!signal.aborted) {
    const { last, atLast } = now;
    const resumed = last === "" ? { tail } : { since: Math.floor(Date.parse(last) / 1000) };
    let isPast = last === "";
    let skipped = 0;
    for await (const line of runtime.containers.logs(container, { follow: true, signal, ...resumed })) {
      // Resuming begins with the whole second of the last line.
      if (!isPast && line.time < last) continue;
      if (!isPast && line.time === last && skipped < atLast) {
        skipped += 1;
        continue;
      }
      isPast = true;
      now = toldUpTo(line, now);
      yield line;
    }
    if (signal.aborted) return;
    const state = (await runtime.containers.find(container))?.state.state;
    if (state === undefined || state === "exited" || state === "created") return;
    await sleep(restartPollMs, signal);
  }
}
