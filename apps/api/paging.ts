// Long lists in pages: from either end, with filters, and a cursor that names the place to go on
// from.
import type { PagedList } from "../../lib/client/facts/pages.ts";
import { SettError } from "../../lib/model/errors.ts";

export type Order = "asc" | "desc";
export type PageRequest = { limit: number; cursor?: string | undefined; order: Order };
export type PageAnswer<Item> = { items: Item[]; next: string | null };

/**
 * How much one request reads. `lookedAt`: entries of the list, where a filter leaves most of them
 * out; then the page has fewer items, and a cursor. `atOnce`: entries whose content is read at the
 * same time, although fewer may be shown.
 */
export type Reach = { lookedAt: number; atOnce: number };
const farReach: Reach = { lookedAt: 5_000, atOnce: 250 };

const idsAtOnce = 500;

/**
 * The last entry that was looked at. Its place moves only when `sett prune` removes what is before
 * it.
 */
type Place = { at: number; id: string };

/**
 * `read`: what the page shows of each of these entries; undefined for one that is left out. Throws
 * `usage` for a bad cursor.
 */
export async function pageOf<Id extends string, Item>(
  list: PagedList<Id>,
  { limit, cursor, order }: PageRequest,
  read: (ids: readonly Id[]) => Promise<(Item | undefined)[]>,
  reach: Reach | "all" = "all",
): Promise<PageAnswer<Item>> {
  const count = await list.count();
  const start =
    cursor === undefined ? undefined : await placeOf(list, cursorOf(cursor, order), count);
  const { lookedAt: most, atOnce } =
    reach === "all" ? { lookedAt: Number.POSITIVE_INFINITY, atOnce: 1 } : reach;
  const items: Item[] = [];
  let lookedAt = 0;
  for await (const places of placesOf(list, order, start, count)) {
    for (let done = 0; done < places.length; ) {
      const some = places.slice(done, done + Math.max(atOnce, limit - items.length));
      done += some.length;
      const shown = await read(some.map(({ id }) => id));
      for (const [index, place] of some.entries()) {
        const item = shown[index];
        lookedAt += 1;
        if (item !== undefined) items.push(item);
        if (items.length < limit && lookedAt < most) continue;
        return { items, next: isLast(place, order, count) ? null : textOf(place, order) };
      }
    }
  }
  return { items, next: null };
}

/** A filter leaves some out. */
export function reachOf(isFiltered: boolean, reach = farReach): Reach | "all" {
  return isFiltered ? reach : "all";
}

async function* placesOf<Id extends string>(
  list: PagedList<Id>,
  order: Order,
  start: number | undefined,
  count: number,
): AsyncGenerator<{ at: number; id: Id }[]> {
  const placed = (ids: readonly Id[], from: number) =>
    ids.map((id, index) => ({ id, at: from + index }));
  if (order === "desc") {
    for (let end = start ?? count; end > 0; ) {
      const from = Math.max(0, end - idsAtOnce);
      yield placed(await list.list({ from, count: end - from }), from).toReversed();
      end = from;
    }
    return;
  }
  for (let from = start === undefined ? 0 : start + 1; from < count; ) {
    const ids = await list.list({ from, count: Math.min(idsAtOnce, count - from) });
    if (ids.length === 0) return;
    yield placed(ids, from);
    from += ids.length;
  }
}

function isLast({ at }: Place, order: Order, count: number): boolean {
  return order === "desc" ? at === 0 : at >= count - 1;
}

function textOf({ at, id }: Place, order: Order): string {
  return Buffer.from(`${order}.${at}.${id}`).toString("base64url");
}

function cursorOf(text: string, order: Order): Place {
  const plain = /^[\w-]{1,200}$/.test(text)
    ? Buffer.from(text, "base64url").toString("latin1")
    : "";
  const [, own, at = "", id = ""] = /^(asc|desc)\.(\d{1,12})\.([0-9a-f-]{36})$/.exec(plain) ?? [];
  if (own === order) return { at: Number(at), id };
  const why =
    own === undefined
      ? "It is not one that a list has answered."
      : `It belongs to a list in the order \`${own}\`.`;
  throw new SettError("usage", `The cursor cannot be used. ${why}`, {
    hint: "Give `next` of the page before, or leave it out.",
  });
}

/** Finds where the entry is now; pruning moves entries towards the beginning. */
async function placeOf<Id extends string>(
  list: PagedList<Id>,
  { at, id }: Place,
  count: number,
): Promise<number> {
  const known = Math.min(at, count - 1);
  for (let end = known + 1; end > 0 && known - end < farReach.lookedAt; ) {
    // Most often it is still there.
    const from = end === known + 1 ? known : Math.max(0, end - idsAtOnce);
    const found = (await list.list({ from, count: end - from })).indexOf(id as Id);
    if (found !== -1) return from + found;
    end = from;
  }
  return known;
}
