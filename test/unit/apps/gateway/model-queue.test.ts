import { expect, test } from "bun:test";
import { ModelQueue } from "../../../../apps/gateway/model-queue.ts";

const never = () => new AbortController().signal;

test("places are given in the order of the requests", async () => {
  const queue = new ModelQueue(2);
  const order: number[] = [];
  const leaving = [1, 2, 3, 4].map((number) =>
    queue.enter("coder", never()).then((leave) => {
      order.push(number);
      return leave;
    }),
  );
  const [first, second] = await Promise.all(leaving.slice(0, 2));
  expect([queue.running, queue.length, order]).toEqual([2, 2, [1, 2]]);
  second?.();
  second?.();
  const third = await leaving[2];
  expect([queue.running, queue.length, order]).toEqual([2, 1, [1, 2, 3]]);
  first?.();
  third?.();
  (await leaving[3])?.();
  expect([queue.running, queue.length, order]).toEqual([0, 0, [1, 2, 3, 4]]);
});

test("a client that leaves the queue is passed over", async () => {
  const queue = new ModelQueue(1);
  const leave = await queue.enter("coder", never());
  const stop = new AbortController();
  const left = queue.enter("coder", stop.signal).catch((reason: unknown) => reason);
  const next = queue.enter("coder", never());
  stop.abort("gone");
  expect(await left).toBe("gone");
  leave();
  (await next)();
  expect([queue.running, queue.length]).toEqual([0, 0]);
  expect(await queue.enter("coder", stop.signal).catch((reason: unknown) => reason)).toBe("gone");
});

test("an agent with a hundred requests lets another's only one go first", async () => {
  const queue = new ModelQueue(2);
  const order: string[] = [];
  const enter = (agent: string) =>
    queue.enter(agent, never()).then((leave) => {
      order.push(agent);
      return leave;
    });
  const greedy = Array.from({ length: 100 }, () => enter("greedy"));
  const other = enter("other");
  (await greedy[0])?.();
  (await other)();
  expect(order).toEqual(["greedy", "greedy", "other"]);
  for (const leaving of greedy) (await leaving)();
  expect([queue.running, queue.length]).toEqual([0, 0]);
});
