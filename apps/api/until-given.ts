// Waits for what `sett up` puts into the container when it runs, or has put there at an earlier
// start.
import { sleep } from "../../lib/async/sleep.ts";
import { SettError } from "../../lib/model/errors.ts";

const pollMs = 50;
const patienceMs = 60_000;

/**
 * `read`: undefined where it is not there yet. `missing`: the sentence of the error. Throws
 * `not-ready`.
 */
export async function untilGiven<Value>(
  read: () => Promise<Value | undefined>,
  missing: string,
  signal: AbortSignal,
): Promise<Value> {
  for (const started = performance.now(); ; await sleep(pollMs, signal)) {
    const value = await read();
    if (value !== undefined) return value;
    if (!signal.aborted && performance.now() - started < patienceMs) continue;
    throw new SettError("not-ready", missing, { hint: "`sett up` puts it there." });
  }
}
