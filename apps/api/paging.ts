// Long lists in pages: from either end, with filters, and a cursor that names the place to go on from.
import type { PagedList } from "../../lib/client/facts/pages.ts";
import { SettError } from "../../lib/model/errors.ts";

export type Order = "asc" | "desc";
export type PageRequest = { limit: number; cursor?: string | undefined; order: Order };
export type PageAnswer<Item> = { items: Item[]; next: string | null };

/** How many entries of a list one request looks at, where a filter leaves most of them out: then the page has fewer items, and a cursor. */
const maxLookedAt = 5_000;
const smallestRead = 100;
const largestRead = 500;

/** The last entry that was looked at. Its place moves only when `sett prune` removes what is before it. */
type Cursor = { at: number; id: string };

/** `read`: what the page shows of these entries, in their order; undefined for one that is left out. Throws `usage` for a bad cursor. */
export async function pageOf<Id extends string, Item>(
  list: PagedList<Id>,
  { limit, cursor, order }: PageRequest,
  read: (ids: readonly Id[]) => Promise<(Item | undefined)[]>,
  lookedAtMost = maxLookedAt,
): Promise<PageAnswer<Item>> {
  const count = await list.count();
  const start = cursor === undefined ? undefined : await placeOf(list, cursorOf(cursor, order), count);
  let at = order === "desc" ? (start ?? count) : (start ?? -1) + 1;
  const items: Item[] = [];
  for (let lookedAt = 0; ; ) {
    const size = Math.min(largestRead, Math.max(smallestRead, limit - items.length));
    const from = order === "desc" ? Math.max(0, at - size) : at;
    const ids =
      order === "desc" ? (at <= 0 ? [] : await list.list({ from, count: at - from })) : await list.list({ from, count: size });
    if (ids.length === 0) return { items, next: null };
    const places = ids.map((id, index) => ({ id, at: from + index }));
    const inOrder = order === "desc" ? places.toReversed() : places;
    // Only as many as may be shown are read at once.
    for (let done = 0; done < inOrder.length; ) {
      const some = inOrder.slice(done, done + Math.max(1, limit - items.length));
      const shown = await read(some.map(({ id }) => id));
      items.push(...shown.flatMap((item) => item ?? []));
      done += some.length;
      lookedAt += some.length;
      const last = some.at(-1);
      if (last !== undefined && (items.length >= limit || lookedAt >= lookedAtMost)) {
        const isEnd = order === "desc" ? last.at === 0 : last.at >= (await list.count()) - 1;
        return { items, next: isEnd ? null : textOf(last, order) };
      }
    }
    at = order === "desc" ? from : from + ids.length;
  }
}

function textOf({ at, id }: Cursor, order: Order): string {
  return Buffer.from(`${order}.${at}.${id}`).toString("base64url");
}

function cursorOf(text: string, order: Order): Cursor {
  const plain = /^[\w-]{1,200}$/.test(text) ? Buffer.from(text, "base64url").toString("latin1") : "";
  const [, given, at = "", id = ""] = /^(asc|desc)\.(\d{1,12})\.([0-9a-f-]{36})$/.exec(plain) ?? [];
  if (given === order) return { at: Number(at), id };
  throw badCursor(
    given === undefined ? "It is not one that a list has given." : `It belongs to a list in the order \`${given}\`.`,
  );
}

export function badCursor(why: string): SettError {
  return new SettError("usage", `The cursor cannot be used. ${why}`, {
    hint: "Give `next` of the page before, or leave it out.",
  });
}

/** Where the entry is now; pruning moves entries towards the beginning. */
async function placeOf<Id extends string>(list: PagedList<Id>, { at, id }: Cursor, count: number): Promise<number> {
  const known = Math.min(at, count - 1);
  for (let end = known + 1; end > 0 && known - end < maxLookedAt; ) {
    // Most often it is still there.
    const from = end === known + 1 ? known : Math.max(0, end - largestRead);
    const found = (await list.list({ from, count: end - from })).indexOf(id as Id);
    if (found !== -1) return from + found;
    end = from;
  }
  return known;
}
