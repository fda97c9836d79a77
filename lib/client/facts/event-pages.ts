// Reads the log up to a position, page by page.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { SettEvent } from "../../model/event.ts";
import { isLater } from "../../model/stream-id.ts";

const pageSize = 1_000;

/** `end`: the id of the last event. `after`: of the event before the first. */
export async function* eventPages(
  board: Pick<PersonBlackboard, "readEvents">,
  end: string,
  after = "0",
): AsyncGenerator<SettEvent[]> {
  for (let from = after; ; ) {
    const page = await board.readEvents(from, pageSize);
    const wanted = page.filter(({ id }) => !isLater(id, end));
    if (wanted.length > 0) yield wanted;
    if (wanted.length < page.length || page.length === 0) return;
    from = page.at(-1)?.id ?? from;
  }
}
