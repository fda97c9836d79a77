// The gateway while Redis is away, and after a Redis that has lost its last writes.
import { expect, test } from "bun:test";
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import {
  chatAnswer,
  type FaultyAnswer,
  startFaultyProvider,
} from "../../support/gateway/faulty-provider.ts";
import { chatRequest, startGateway } from "../../support/gateway/gateway-scene.ts";
import { nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const path = "/openai/v1/chat/completions";

/**
 * Two calls fit into the budget of the goal, and a third does not. `isExact`: its file has what it
 * answered, at once.
 */
async function createScene({
  tickMs = 50,
  isExact,
  ...options
}: {
  timeoutMs: number;
  tickMs?: number;
  isExact?: true;
}) {
  const redis = await startRedisServer();
  // On a busy disk each answer may then take seconds.
  if (isExact) await redis.cli("CONFIG", "SET", "appendfsync", "always");
  const instance = InstanceName.parse("test");
  const board = await connectBlackboard({
    url: redis.url,
    instance,
    ...options,
    giveUpMs: 120_000,
    onLost: () => {},
  });
  const open = Promise.withResolvers<void>();
  const answer: FaultyAnswer = async (request, count) => {
    await open.promise;
    return await chatAnswer()(request, count);
  };
  const provider = await startFaultyProvider(answer);
  const scene = await startGateway({
    base_url: provider.base_url,
    board,
    goal: { calls: 2 },
    limits: { tickMs },
  });
  const [, folder = ""] = (await redis.cli("CONFIG", "GET", "dir")).split("\n");
  return {
    ...scene,
    redis,
    provider,
    answer: () => open.resolve(),
    spending: () => board.readSpending(scene.work.goal.goal_id),
    log: join(folder, "appendonlydir", "appendonly.aof.1.incr.aof"),
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("while Redis is away no call is passed on, and the client may try again", async () => {
  await using scene = await createScene({ timeoutMs: 6_000 });
  expect(scene.gateway.isNeeded).toBe(false);
  await scene.redis.kill();
  const answer = await scene.post(path, chatRequest());
  expect(scene.gateway.isNeeded).toBe(true);
  expect([
    answer.status,
    answer.headers.get("x-sett-error"),
    answer.headers.get("x-should-retry"),
  ]).toEqual([503, "redis-unreachable", "true"]);
  expect(scene.provider.requests).toEqual([]);
  expect(await fetch(`${scene.url}/healthz`).then(({ status }) => status)).toBe(503);
});

nightly(
  "a call that ends while Redis is away is answered, and put on record once when Redis is back",
  async () => {
    await using scene = await createScene({ timeoutMs: 6_000 });
    const call = scene.post(path, chatRequest());
    await waitFor("the provider to be asked", () => scene.provider.requests.length === 1);
    await scene.redis.kill();
    scene.answer();
    expect((await call).status).toBe(200);
    await scene.redis.start();
    const [record] = await scene.ended(1);
    expect(record).toMatchObject({ outcome: "ok", usage: { input: 20, output: 5 } });
    expect(await scene.spending()).toMatchObject({
      spent: { calls: 1, tokens: 25 },
      reserved: { calls: 0 },
    });
  },
);

test("what Redis has lost is reserved and spent again before anything else is reserved", async () => {
  // Nothing but the new contact makes it again.
  await using scene = await createScene({ timeoutMs: 20_000, tickMs: 600_000, isExact: true });
  scene.answer();
  const before = (await stat(scene.log)).size;
  expect((await scene.post(path, chatRequest())).status).toBe(200);
  expect((await scene.post(path, chatRequest())).status).toBe(200);
  await scene.ended(2);
  await scene.redis.kill();
  await truncate(scene.log, before);
  await scene.redis.start();
  // Whether it waits for the contact or comes after it: the budget is spent.
  expect((await scene.post(path, chatRequest())).status).toBe(402);
  expect(scene.provider.requests).toHaveLength(2);
  expect(await scene.spending()).toMatchObject({ spent: { calls: 2, tokens: 50 } });
});

test("the reservation of a call under way is made again where Redis has lost it", async () => {
  // Nothing but the new contact makes it again.
  await using scene = await createScene({ timeoutMs: 20_000, tickMs: 600_000, isExact: true });
  const before = (await stat(scene.log)).size;
  const calls = [scene.post(path, chatRequest()), scene.post(path, chatRequest())];
  await waitFor("the provider to be asked", () => scene.provider.requests.length === 2);
  await scene.redis.kill();
  await truncate(scene.log, before);
  await scene.redis.start();
  const later = scene.post(path, chatRequest());
  await waitFor(
    "the reservations to be made again",
    async () => (await scene.spending().catch(() => undefined))?.reserved.calls === 2,
  );
  scene.answer();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await later).status).toBe(402);
  expect(scene.provider.requests).toHaveLength(2);
  await scene.ended(2);
  expect(await scene.spending()).toMatchObject({ spent: { calls: 2 }, reserved: { calls: 0 } });
});
