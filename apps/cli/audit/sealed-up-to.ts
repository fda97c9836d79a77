// How much of an instance's log is sealed, for what removes from it: an event that is removed
// before can be shown to no one later.

import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { askService } from "../instance/ask-service.ts";
import type { Shell } from "../terminal/shell.ts";
import { lookEveryMs, maxWaitMs } from "./ask-notary.ts";

type Board = Pick<PersonBlackboard, "instance" | "endOfEvents" | "readSealedPlace">;

/**
 * The place up to which the notary has sealed the log: all that is there now, where that takes no
 * longer than 20 s. Undefined for an instance without one.
 */
export async function sealedUpTo(board: Board, shell: Shell): Promise<string | undefined> {
  const end = await board.endOfEvents();
  const stopMs = performance.now() + maxWaitMs;
  for (let isAsked = false; ; isAsked = true) {
    const place = await board.readSealedPlace();
    if (place === undefined || !isLater(end, place)) return place;
    // Where `proof` is off by now, nothing more is sealed.
    if (!isAsked && !(await hasNotary(board, shell))) return undefined;
    if (shell.interrupted.aborted) return place;
    if (performance.now() >= stopMs) {
      shell.messages.warn(
        "The notary has not sealed the end of the log: goals with events there stay.",
      );
      shell.messages.next(`Why: ${shell.suggest("logs notary")}`);
      return place;
    }
    await sleep(lookEveryMs, shell.interrupted);
  }
}

/** True where it cannot be seen: what was not sealed stays. */
async function hasNotary({ instance }: Board, shell: Shell): Promise<boolean> {
  return await askService(shell, instance, "notary").then(
    (notary) => notary !== undefined,
    () => true,
  );
}
