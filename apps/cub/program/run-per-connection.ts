// How both loops survive the loss of Redis: after each reconnect a loop starts again from what is
// stored.

import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { LoopWatch } from "./loop-watch.ts";

type LoopDeps = { board: Pick<AgentBlackboard, "onReconnect">; log: JsonLog; watch: LoopWatch };

/**
 * Runs `loop` again and again until `stop`. Its signal aborts with `stop` and at a reconnect,
 * because the cub may have missed announcements while Redis was away. A loop that fails is started
 * again after a back-off: one bad record must not stop the agent. Never rejects.
 */
export async function runPerConnection(
  { board, log, watch }: LoopDeps,
  stop: AbortSignal,
  loop: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    const over = new AbortController();
    const end = () => over.abort();
    stop.addEventListener("abort", end, { once: true });
    const unsubscribe = board.onReconnect(end);
    try {
      await loop(over.signal);
      failures = 0;
    } catch (error) {
      failures++;
      if (!stop.aborted)
        log.warn(`The ${watch.name} failed; starting it again`, {
          error: messageOf(error),
          failures,
        });
    } finally {
      unsubscribe();
      stop.removeEventListener("abort", end);
    }
    // Waiting for Redis is no work: SETT_REDIS_GIVE_UP limits it.
    watch.markIdle();
    if (!over.signal.aborted)
      await sleep(backOffMs(Math.max(1, failures), { firstMs: 100, maxMs: 5_000 }), stop);
  }
}
