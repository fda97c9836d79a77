import { expect, test } from "bun:test";
import { RecentMap } from "../../../../lib/async/recent-map.ts";

/** The keys below `count` that the map still has. */
const keysIn = (map: RecentMap<number, string>, count: number) =>
  Array.from({ length: count }, (_, key) => key).filter((key) => map.get(key) !== undefined);

test("after any number of entries it has the latest of them, and at most twice as many", () => {
  const map = new RecentMap<number, string>(4);
  for (let count = 1; count <= 25; count += 1) {
    map.set(count - 1, "value");
    const keys = keysIn(map, count);
    expect(keys).toEqual(
      expect.arrayContaining(
        Array.from({ length: Math.min(4, count) }, (_, back) => count - 1 - back),
      ),
    );
    expect(keys.length).toBeLessThanOrEqual(8);
  }
});

test("a new value replaces an older one of the same key, and a deleted key comes back from nowhere", () => {
  const map = new RecentMap<number, string>(2);
  for (const key of [0, 1, 2]) map.set(key, "old");
  map.set(0, "new");
  expect(map.get(0)).toBe("new");
  map.delete(0);
  expect(keysIn(map, 3)).toEqual([1, 2]);
});

test("a cleared map has no entry, neither a late nor an early one", () => {
  const map = new RecentMap<number, string>(2);
  for (const key of [0, 1, 2]) map.set(key, "value");
  map.clear();
  expect(keysIn(map, 3)).toEqual([]);
});
