// A page of the log: forwards from an event, or the newest before one.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { type EventFilter, isWanted } from "./filter.ts";

type PageRequest = {
  after?: string | undefined;
  before?: string | undefined;
  limit: number;
  filter: EventFilter;
};
type EventPage = { items: SettEvent[]; next: string | null };

const readAtOnce = 500;
/** A page has fewer events when a filter leaves most of them out, and says where to go on. */
const maxLookedAt = 20_000;

/** The oldest first in both directions. */
export async function eventPage(
  board: Pick<PersonBlackboard, "readEvents" | "readEventsBefore">,
  { after, before, limit, filter }: PageRequest,
): Promise<EventPage> {
  if (before !== undefined) return await backwards(board, before, limit, filter);
  const items: SettEvent[] = [];
  let last = after ?? "0";
  if (last === "$") return { items, next: null };
  for (let lookedAt = 0; lookedAt < maxLookedAt; ) {
    const events = await board.readEvents(last, readAtOnce);
    for (const event of events) {
      if (isWanted(event, filter)) items.push(event);
      last = event.id;
      if (items.length === limit) return { items, next: last };
    }
    lookedAt += events.length;
    if (events.length < readAtOnce) return { items, next: null };
  }
  return { items, next: last };
}

async function backwards(
  board: Pick<PersonBlackboard, "readEventsBefore">,
  before: string,
  limit: number,
  filter: EventFilter,
): Promise<EventPage> {
  const newestFirst: SettEvent[] = [];
  let first = before === "$" ? undefined : before;
  for (let lookedAt = 0; lookedAt < maxLookedAt; ) {
    const events = await board.readEventsBefore(first, readAtOnce);
    for (const event of events) {
      if (isWanted(event, filter)) newestFirst.push(event);
      first = event.id;
      if (newestFirst.length === limit) return { items: newestFirst.toReversed(), next: first };
    }
    lookedAt += events.length;
    if (events.length < readAtOnce) return { items: newestFirst.toReversed(), next: null };
  }
  return { items: newestFirst.toReversed(), next: first ?? null };
}
