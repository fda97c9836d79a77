// Webhooks that fail: what is tried again, what is given up, and what another orchestrator takes over.
import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Bench } from "../../support/blackboard/bench.ts";
import { openMemoryBench } from "../../support/blackboard/memory-bench.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { startHookReceiver } from "../../support/orchestrator/hook-receiver.ts";
import { createWorld, hookOf, secret, told } from "../../support/orchestrator/notify-world.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

for (const [name, open] of [
  ["the blackboard in memory", openMemoryBench],
  ["a real Redis", () => openRedisBench(server)],
] as const) {
  describe(`on ${name}`, () => retrySuite(open));
}

test("a Redis that was away loses nothing that is still to be told, and nothing is told twice", async () => {
  await using redis = await startRedisServer();
  await using world = await createWorld(() => openRedisBench(redis));
  using receiver = startHookReceiver();
  await world.start([hookOf(receiver)]);
  await told(receiver, await world.state("release"));
  await world.logged("Delivered webhook");
  receiver.stop();
  const missed = [await world.state("fail"), await world.state("ask")];
  await world.logged("Webhook delivery failed");
  await waitFor("the question", async () => (await world.board.listOpenQuestions()).length > 0);
  await redis.kill();
  receiver.start();
  await redis.start();
  for (const goal of missed) await told(receiver, goal);
  await told(receiver, await world.state("release"));
  expect(receiver.received).toHaveLength(4);
});

function retrySuite(open: () => Promise<Bench>): void {
  test("a hook that is down holds up no work, and is told when it is back", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    receiver.stop();
    await world.start([hookOf(receiver)]);
    const goals = [await world.state("release"), await world.state("release")];
    for (const goal of goals) await world.completed(goal);
    await world.logged("Webhook delivery failed");
    receiver.start();
    for (const goal of goals) await told(receiver, goal);
    expect(receiver.received).toHaveLength(2);
  });

  test("a hook that never answers is given up after the time limit and tried again under the same id, while work goes on", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver({ answer: "hang" });
    await world.start([hookOf(receiver)], { timeoutMs: 200 });
    const goal = await world.state("release");
    const [first] = await told(receiver, goal);
    await world.completed(await world.state("release"));
    receiver.answer = 200;
    await world.logged("Delivered webhook");
    const tries = await told(receiver, goal, 2);
    expect(new Set(tries.map(({ id }) => id))).toEqual(new Set([first?.id ?? ""]));
    expect(tries.map(({ text }) => text)).toEqual(tries.map(() => first?.text ?? ""));
  });

  for (const answer of [500, 429]) {
    test(`an answer of ${answer} is tried again, after others`, async () => {
      await using world = await createWorld(open);
      using receiver = startHookReceiver({ answer });
      await world.start([hookOf(receiver)]);
      const first = await world.state("release");
      await told(receiver, first);
      receiver.answer = 204;
      const second = await world.state("release");
      await told(receiver, second);
      const tries = await told(receiver, first, 2);
      expect(tries).toHaveLength(2);
      expect(receiver.received).toHaveLength(3);
    });
  }

  test("after a day of failures it is given up, and what comes later is told", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver({ answer: 500 });
    let laterMs = 0;
    await world.start([hookOf(receiver)], { clock: { ...systemClock, passedMs: () => performance.now() + laterMs } });
    const lost = await world.state("release");
    await world.logged("Webhook delivery failed");
    laterMs = 25 * 3_600_000;
    await world.logged("Gave up webhook delivery");
    receiver.answer = 204;
    await told(receiver, await world.state("fail"));
    expect(await told(receiver, lost, 2)).toHaveLength(2);
  });

  for (const answer of [404, 302]) {
    test(`an answer of ${answer} is not tried again, nor followed, and the log says so without showing address or secret`, async () => {
      await using world = await createWorld(open);
      using receiver = startHookReceiver({ answer });
      const running = await world.start([hookOf(receiver)]);
      await told(receiver, await world.state("ask"));
      await world.logged("Gave up webhook delivery");
      receiver.answer = 204;
      await running.kill();
      await world.start([hookOf(receiver)]);
      await told(receiver, await world.state("release"));
      expect(receiver.received).toHaveLength(2);
      const lines = world.log.join("\n");
      expect(lines).toContain(`The receiver answered with status ${answer}.`);
      expect(lines).not.toContain(secret);
      expect(lines).not.toContain("a-path-that-is-secret");
    });
  }

  test("what one orchestrator could not tell the next one tells, and nothing twice", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    using other = startHookReceiver();
    const hooks = [hookOf(receiver), hookOf(other)];
    const first = await world.start(hooks);
    const before = [await world.state("release"), await world.state("ask")];
    for (const goal of before) for (const each of [receiver, other]) await told(each, goal);
    await world.logged("Delivered webhook", 4);
    receiver.stop();
    const during = [await world.state("fail"), await world.state("ask")];
    for (const goal of during) await told(other, goal);
    await world.logged("Delivered webhook", 6);
    await world.logged("Webhook delivery failed");
    await first.kill();
    receiver.start();
    await world.start(hooks, { holder: "two" });
    for (const goal of during) await told(receiver, goal);
    const after = await world.state("release");
    for (const each of [receiver, other]) {
      await told(each, after);
      expect(each.received).toHaveLength(5);
    }
  });

  test("of two orchestrators only the one that leads tells anything", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    await world.start([hookOf(receiver)], { holder: "one" });
    await waitFor("a leader", () => world.board.readLeader());
    await world.start([hookOf(receiver)], { holder: "two" });
    for (const payload of ["release", "ask", "fail"]) await told(receiver, await world.state(payload));
    expect(receiver.received).toHaveLength(3);
  });
}
