// A blackboard that began empty although the repository knew the instance. The first event of the
// log remembers it, so that it is forgotten with this blackboard: a back-up that is restored has a
// first event of its own.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { EventDraft } from "../../../lib/model/event.ts";

/** A person who has not restored a back-up by then goes on without it. */
const shownForMs = 30 * 24 * 3_600_000;

/**
 * `known`: how many goals and results git had of the blackboard before; undefined where the
 * repository did not know the instance.
 */
export function startedEvent(version: string, known: number | undefined): EventDraft {
  return {
    type: "instance_started",
    data: { version, ...(known !== undefined && { known_before: known }) },
  };
}

/** Since when it is new: ISO 8601. Undefined where it is not, or has been for long. */
export async function newBlackboardSince(
  board: Pick<PersonBlackboard, "readEvents">,
  nowMs: number,
): Promise<string | undefined> {
  const [first] = await board.readEvents("0", 1);
  const known = first?.type === "instance_started" ? first.data?.known_before : undefined;
  if (first === undefined || known === undefined || nowMs - Date.parse(first.time) > shownForMs)
    return undefined;
  return first.time;
}
