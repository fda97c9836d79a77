// Waits for the Docker Engine, or a cluster, where no person watches: after a restart of the
// machine it may come later than the command.
import { sleep } from "../../../../lib/async/sleep.ts";
import { isUnreachable, SettError } from "../../../../lib/model/errors.ts";
import type { Shell } from "../../terminal/shell.ts";

/** A supervisor starts the command again after that. */
const patienceMs = 5 * 60_000;
const everyMs = 1_000;

/**
 * Returns what `look` finds; asks again for five minutes while the runtime does not answer. Throws
 * the last reason then, any other one at once, and `interrupted`.
 */
export async function untilRuntime<Found>(
  look: () => Promise<Found>,
  { interrupted, messages }: Pick<Shell, "interrupted" | "messages">,
  times = { patienceMs, everyMs },
): Promise<Found> {
  const last = performance.now() + times.patienceMs;
  for (let tries = 1; ; tries++) {
    try {
      return await look();
    } catch (error) {
      const isOver = interrupted.aborted || performance.now() >= last;
      if (isOver || !isUnreachable(error)) throw error;
      if (tries === 1) messages.note(`Waiting for an answer. ${error.message}`);
    }
    await sleep(times.everyMs, interrupted);
    if (interrupted.aborted) throw new SettError("interrupted", "Interrupted.");
  }
}
