// Repeats a request until Redis answers.

import { backOffMs } from "../async/back-off.ts";
import { sleep } from "../async/sleep.ts";
import { messageOf, SettError } from "../model/errors.ts";
import type { JsonLog } from "./json-log.ts";

/**
 * Runs the job again, with exponential back-off, as long as it fails with `redis-unreachable`, or
 * with what `isPassing` says will pass. Any other failure is thrown at once, and so is the last one
 * when the signal aborts. The job must be safe to repeat. `onRetry` is called before each further
 * try.
 */
export async function untilContact<Result>(
  job: () => Promise<Result>,
  {
    signal,
    log,
    onRetry,
    isPassing = isAway,
  }: {
    signal: AbortSignal;
    log: JsonLog;
    onRetry?: () => void;
    isPassing?: (error: unknown) => boolean;
  },
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await job();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      log.warn("No answer, trying again", { error: messageOf(error), tries });
      await sleep(backOffMs(tries, { firstMs: 100, maxMs: 2_000 }), signal);
      onRetry?.();
    }
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof SettError && error.code === "redis-unreachable";
}
