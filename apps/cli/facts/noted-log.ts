// `sett up` and `sett down` note this of the log, to know it again: it may have lost events since,
// or be another one, though its volume is the same.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";

type Board = Pick<
  PersonBlackboard,
  "countEvents" | "countLostEvents" | "endOfEvents" | "readEvents"
>;

/** `logged`: how many events it had ever had. `end`: the id of the last one. */
export type NotedLog = { logged: number; end: string };

/** `before`: how many events the log had; `now`: how many of these it has had, at most. */
export type LostEvents = { before: number; now: number };

export async function noteOf(board: Board): Promise<NotedLog> {
  const end = await board.endOfEvents();
  return { logged: (await board.countLostEvents()).logged, end };
}

/** Undefined where the log is the one that was noted. Events that were pruned are not lost. */
export async function lostSince(
  board: Board,
  noted: NotedLog | undefined,
): Promise<LostEvents | undefined> {
  if (noted === undefined) return undefined;
  const { logged } = await board.countLostEvents();
  if (logged < noted.logged) return { before: noted.logged, now: logged };
  const [first] = await board.readEvents("0", 1);
  if (first === undefined || timeOf(first.id) <= timeOf(noted.end)) return undefined;
  // All that it has is later: the others must have been removed.
  const earlier = logged - (await board.countEvents());
  return earlier < noted.logged ? { before: noted.logged, now: earlier } : undefined;
}

/** In milliseconds, by the clock of Redis. */
function timeOf(id: string): number {
  return Number.parseInt(id, 10);
}
