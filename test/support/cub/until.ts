// Waiting for a condition, with the condition first.
import { waitFor } from "../wait-for.ts";

/** `waitFor`, looking every 5 ms for at most `maxMs`. */
export function until<Value>(
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  what: string,
  maxMs = 100_000,
): Promise<Value> {
  return waitFor(what, probe, { timeoutMs: maxMs, everyMs: 5 });
}
