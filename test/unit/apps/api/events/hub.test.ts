import { expect, test } from "bun:test";
import { EventHub } from "../../../../../apps/api/events/hub.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { newGoalId } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

async function scene(ringSize: number) {
  const board = await blackboardInMemory({ instance: InstanceName.parse("test") }).open();
  const log = async (count: number) => {
    for (let at = 0; at < count; at += 1)
      await board.logEvent({ type: "cancel_requested", data: { at } }, "person:test");
  };
  await log(3);
  const over = new AbortController();
  let reads = 0;
  const counted = {
    ...board,
    readEvents: (from: string, count: number) => {
      reads += 1;
      return board.readEvents(from, count);
    },
  };
  const hub = new EventHub(
    counted,
    createJsonLog(
      () => {},
      () => new Date(),
    ),
    ringSize,
  );
  const running = hub.run(over.signal);
  await waitFor("the hub", () => hub.last !== undefined);
  return {
    ...{ board, hub, log, signal: over.signal, reads: () => reads },
    async [Symbol.asyncDispose]() {
      over.abort();
      await running;
      await board[Symbol.asyncDispose]();
    },
  };
}

test("what is new is read from memory, and what is old from Redis, with the same ids", async () => {
  await using at = await scene(10);
  const { board, hub, log, signal } = at;
  const begin = hub.last ?? "";
  await log(100);
  expect(await hub.caughtUp(10_000, signal)).toBe(true);
  const ids = (await board.readEvents("0", 1_000)).map(({ id }) => id);
  const read = async (from: string) => (await hub.read(from, 1_000)).map(({ event }) => event.id);
  for (const from of ["0", begin, ids[50] ?? "", ids[100] ?? "", ids.at(-1) ?? ""])
    expect(await read(from)).toEqual(ids.slice(ids.indexOf(from) + 1));
  expect(hub.after(ids.at(-2) ?? "", 10)).toHaveLength(1);
  expect(hub.after(ids[5] ?? "", 10)).toBeUndefined();
});

test("a reader in memory asks Redis for nothing", async () => {
  await using at = await scene(1_000);
  const { hub, log, signal } = at;
  const begin = hub.last ?? "";
  await log(20);
  await hub.caughtUp(10_000, signal);
  expect(await hub.read(begin, 1_000)).toHaveLength(20);
  expect(at.reads()).toBe(0);
});

test("who waits is woken by an event, by the time and by the signal, and not where there is one already", async () => {
  await using at = await scene(10);
  const { hub, log, signal } = at;
  const last = hub.last ?? "";
  const woken = hub.changed(last, 60_000, signal);
  await log(1);
  await woken;
  await hub.changed(last, 60_000, signal);
  await hub.changed(hub.last ?? "", 1, signal);
  const stop = new AbortController();
  const waiting = hub.changed(hub.last ?? "", 60_000, stop.signal);
  stop.abort();
  await waiting;
});

test("a listener gets each event once, until it ends", async () => {
  await using at = await scene(10);
  const { hub, log, signal } = at;
  const seen: unknown[] = [];
  const end = hub.listen((events) => seen.push(...events.map(({ data }) => data?.at)));
  await log(5);
  await hub.caughtUp(10_000, signal);
  end();
  await log(1);
  await hub.caughtUp(10_000, signal);
  expect(seen).toEqual([0, 1, 2, 3, 4]);
});

test("who waits for some events is not woken by others, and goes on behind them", async () => {
  await using at = await scene(10);
  const { board, hub, log, signal } = at;
  let isWoken = false;
  const waiting = hub
    .changed(hub.last ?? "", 60_000, signal, { types: [], actor: "person:wanted" })
    .then((past) => {
      isWoken = true;
      return past;
    });
  await log(30);
  expect(await hub.caughtUp(10_000, signal)).toBe(true);
  expect(isWoken).toBe(false);
  const last = hub.last;
  const wanted = await board.logEvent({ type: "cancel_requested" }, "person:wanted");
  expect(await waiting).toBe(last ?? "");
  expect((await hub.read(last ?? "", 10)).map(({ event }) => event.id)).toEqual([wanted]);
});

test("who waits for what does not come learns how far it has looked", async () => {
  await using at = await scene(10);
  const { hub, log, signal } = at;
  const leaving = new AbortController();
  const waiting = hub.changed(hub.last ?? "", 60_000, leaving.signal, {
    types: [],
    goal: newGoalId(),
  });
  await log(30);
  expect(await hub.caughtUp(10_000, signal)).toBe(true);
  leaving.abort();
  expect(await waiting).toBe(hub.last ?? "");
});

test("a follower gets the past and what is new in their order, and asks Redis for nothing that is in memory", async () => {
  await using at = await scene(1_000);
  const { board, hub, log, signal } = at;
  const over = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const events of hub.follow("0", over.signal))
      seen.push(...events.map(({ id }) => id));
  })();
  await waitFor("the past", () => seen.length === 3);
  await log(40);
  expect(await hub.caughtUp(10_000, signal)).toBe(true);
  await waitFor("what is new", () => seen.length === 43);
  over.abort();
  await following;
  expect(seen).toEqual((await board.readEvents("0", 1_000)).map(({ id }) => id));
  expect(at.reads()).toBe(1);
});
