// How much of an instance's log is sealed, for what removes from it: an event that is removed
// before can be shown to no one later.

import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { askService } from "../instance/ask-service.ts";
import type { Shell } from "../terminal/shell.ts";
import { maxWaitMs, untilNoted } from "./ask-notary.ts";

type Board = Pick<PersonBlackboard, "instance" | "endOfEvents" | "readSealedPlace">;

/**
 * The place up to which the notary has sealed the log: all that is there now, where that takes no
 * longer than 20 s. Undefined for an instance without one.
 */
export async function sealedUpTo(board: Board, shell: Shell): Promise<string | undefined> {
  const end = await board.endOfEvents();
  const first = await board.readSealedPlace();
  if (first === undefined || !isLater(end, first)) return first;
  // Where `proof` is off by now, nothing more is sealed.
  if (!(await hasNotary(board, shell))) return undefined;
  const stopMs = performance.now() + maxWaitMs;
  const place = await untilNoted(board, end, { stopMs, signal: shell.interrupted });
  if (place === undefined || !isLater(end, place) || shell.interrupted.aborted) return place;
  shell.messages.warn(
    "The notary has not sealed the end of the log: goals with events there stay.",
  );
  shell.messages.next(`Why: ${shell.suggest("logs notary")}`);
  return place;
}

/** True where it cannot be seen: what was not sealed stays. */
async function hasNotary({ instance }: Board, shell: Shell): Promise<boolean> {
  return await askService(shell, instance, "notary").then(
    (notary) => notary !== undefined,
    () => true,
  );
}
