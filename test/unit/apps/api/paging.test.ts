import { expect, test } from "bun:test";
import { type PageAnswer, type PageRequest, pageOf } from "../../../../apps/api/paging.ts";
import type { PagedList } from "../../../../lib/client/facts/pages.ts";

const idOf = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`;

/** A list that counts what was read of it. */
function listOf(ids: string[]): PagedList<string> & { reads: number } {
  const list = {
    reads: 0,
    count: async () => ids.length,
    list: async ({ from, count }: { from: number; count: number }) => {
      list.reads += 1;
      return ids.slice(from, from + count);
    },
  };
  return list;
}

const many = (count: number) => Array.from({ length: count }, (_, place) => idOf(place));
const all = async (ids: readonly string[]) => [...ids];

async function walk(
  list: PagedList<string>,
  request: Omit<PageRequest, "cursor">,
): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: PageAnswer<string> = await pageOf(list, { ...request, cursor }, all);
    seen.push(...page.items);
    if (page.next === null) return seen;
    cursor = page.next;
  }
}

test("a list is walked from either end, whatever the size of the pages, without a gap or a repeat", async () => {
  for (const count of [0, 1, 7, 50, 501, 1_203]) {
    for (const limit of [1, 7, 50, 500]) {
      if (count > 500 && limit === 1) continue;
      const ids = many(count);
      expect(await walk(listOf(ids), { limit, order: "asc" })).toEqual(ids);
      expect(await walk(listOf(ids), { limit, order: "desc" })).toEqual(ids.toReversed());
    }
  }
});

test("the last page has no cursor, also where it is full", async () => {
  expect(await pageOf(listOf(many(10)), { limit: 10, order: "desc" }, all)).toMatchObject({
    next: null,
  });
  expect((await pageOf(listOf(many(11)), { limit: 10, order: "desc" }, all)).next).not.toBeNull();
});

test("the newest of a long list are read without walking it", async () => {
  const list = listOf(many(50_000));
  const shown: string[] = [];
  await pageOf(list, { limit: 50, order: "desc" }, async (ids) => {
    shown.push(...ids);
    return [...ids];
  });
  expect(list.reads).toBe(1);
  expect(shown).toHaveLength(50);
});

test("a filter looks only so far, and then says where to go on", async () => {
  const list = listOf(many(3_000));
  const last = idOf(0);
  const read = async (ids: readonly string[]) => ids.map((id) => (id === last ? id : undefined));
  const reach = { lookedAt: 1_000, atOnce: 100 };
  const first = await pageOf(list, { limit: 5, order: "desc" }, read, reach);
  expect(first.items).toEqual([]);
  const second = await pageOf(
    list,
    { limit: 5, order: "desc", cursor: first.next ?? "" },
    read,
    reach,
  );
  const third = await pageOf(
    list,
    { limit: 5, order: "desc", cursor: second.next ?? "" },
    read,
    reach,
  );
  expect(third).toEqual({ items: [last], next: null });
});

test("a cursor finds its place after what was before it has been removed", async () => {
  const ids = many(2_000);
  const { next } = await pageOf(listOf(ids), { limit: 10, order: "desc" }, all);
  const pruned = ids.slice(700);
  const page = await pageOf(listOf(pruned), { limit: 2, order: "desc", cursor: next ?? "" }, all);
  expect(page.items).toEqual([idOf(1_989), idOf(1_988)]);
});

test("new entries do not move what follows a cursor", async () => {
  const ids = many(100);
  const { next } = await pageOf(listOf(ids), { limit: 10, order: "desc" }, all);
  const page = await pageOf(
    listOf([...ids, "new", "newer"]),
    { limit: 1, order: "desc", cursor: next ?? "" },
    all,
  );
  expect(page.items).toEqual([idOf(89)]);
});

test("a cursor of the other order, and one that no list has answered, are refused", async () => {
  const { next } = await pageOf(listOf(many(100)), { limit: 10, order: "desc" }, all);
  const refused = (cursor: string, order: "asc" | "desc") =>
    pageOf(listOf(many(100)), { limit: 10, order, cursor }, all);
  expect(refused(next ?? "", "asc")).rejects.toThrow("It belongs to a list in the order `desc`.");
  expect(refused("nonsense", "asc")).rejects.toThrow("It is not one that a list has answered.");
});
