// How both loops live through a Redis that comes and goes: each contact is a round, begun afresh from what is on record.

import { backOffMs } from "../../lib/async/back-off.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { LoopWatch } from "./loop-watch.ts";

type RoundParts = { board: Pick<Blackboard, "onReconnect">; log: JsonLog; watch: LoopWatch };

/**
 * Runs `round` until `stop`. Its signal aborts at a reconnect, because whatever was announced in between may have been missed, and
 * with `stop`. A round that fails is begun again with back-off: one bad record must not silence the agent. Never rejects.
 */
export async function inRounds(
  { board, log, watch }: RoundParts,
  stop: AbortSignal,
  round: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    const over = new AbortController();
    const end = () => over.abort();
    stop.addEventListener("abort", end, { once: true });
    const unsubscribe = board.onReconnect(end);
    try {
      await round(over.signal);
      failures = 0;
    } catch (error) {
      failures++;
      if (!stop.aborted) log.warn(`The ${watch.name} begins again`, { error: messageOf(error), failures });
    } finally {
      unsubscribe();
      stop.removeEventListener("abort", end);
    }
    // Waiting for a Redis that is away is no work: how long that may last is for its own limit to say.
    watch.rest();
    if (!over.signal.aborted) await sleep(backOffMs(Math.max(1, failures), { firstMs: 100, maxMs: 5_000 }), stop);
  }
}
