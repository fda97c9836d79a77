import { expect, test } from "bun:test";
import { PastPages } from "../../../../../apps/api/events/past-pages.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";

async function scene(events: number) {
  const board = await blackboardInMemory({ instance: InstanceName.parse("test") }).open();
  const log = async () => await board.logEvent({ type: "cancel_requested" }, "person:test");
  for (let at = 0; at < events; at += 1) await log();
  const reads: string[] = [];
  const pages = new PastPages({
    readEvents: (from, count) => {
      reads.push(from);
      return board.readEvents(from, count);
    },
  });
  return { pages, log, reads, [Symbol.asyncDispose]: () => board[Symbol.asyncDispose]() };
}

test("clients that read the same past share what is read", async () => {
  await using at = await scene(20);
  const all = await Promise.all(Array.from({ length: 100 }, () => at.pages.read("0", 10)));
  expect(new Set(all).size).toBe(1);
  expect(all[0]).toHaveLength(10);
  expect(await at.pages.read("0", 10)).toBe(all[0] ?? []);
  expect(at.reads).toEqual(["0"]);
});

test("a page that was not full is read again", async () => {
  await using at = await scene(3);
  expect(await at.pages.read("0", 10)).toHaveLength(3);
  await at.log();
  expect(await at.pages.read("0", 10)).toHaveLength(4);
});

test("only some pages are kept", async () => {
  await using at = await scene(40);
  for (let count = 1; count <= 20; count += 1) await at.pages.read("0", count);
  await at.pages.read("0", 20);
  await at.pages.read("0", 1);
  expect(at.reads).toHaveLength(21);
});

test("nothing is read for clients that have gone while they waited, but for those that stay", async () => {
  await using at = await scene(20);
  const gone = new AbortController();
  const first = Array.from({ length: 2 }, (_, index) => at.pages.read("0", 5 + index));
  const left = at.pages.read("0", 8, gone.signal);
  const both = [
    at.pages.read("0", 9, gone.signal),
    at.pages.read("0", 9, new AbortController().signal),
  ];
  gone.abort();
  expect((await Promise.all([...first, left, ...both])).map((page) => page.length)).toEqual([
    5, 6, 0, 9, 9,
  ]);
  expect(at.reads).toHaveLength(3);
});

test("a read that fails is tried again", async () => {
  let fails = true;
  const pages = new PastPages({
    readEvents: async () => {
      if (fails) throw new Error("away");
      return [];
    },
  });
  await expect(pages.read("0", 10)).rejects.toThrow("away");
  fails = false;
  expect(await pages.read("0", 10)).toEqual([]);
});
