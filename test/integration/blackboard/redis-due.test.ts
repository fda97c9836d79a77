// Listing what is due in Redis has its cost, and an earlier version's entries are read.
import { expect, setDefaultTimeout, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { agentName } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";

setDefaultTimeout(600_000);

async function createScene() {
  const redis = await startRedisServer();
  const instance = InstanceName.parse("due");
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  return {
    redis,
    board,
    key: (name: string) => `sett:${instance}:${name}`,
    [Symbol.asyncDispose]: async () => {
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

const newClaim = () => ClaimId.parse(crypto.randomUUID());

test("a listing reads as much as it brings, however much of other kinds is due", async () => {
  await using scene = await createScene();
  const claim = newClaim();
  // Deadlines that are due, and are not judged before contact has lasted.
  const many = `for i = 1, 100000 do
    redis.call('ZADD', KEYS[1], i, string.format('bids:%08x-0000-4000-8000-000000000000', i))
  end`;
  await scene.redis.cli("EVAL", many, "1", scene.key("due:bids"));
  await scene.redis.cli("ZADD", scene.key("due:attempt"), "1000000", `attempt:${claim}:coder:1`);
  await scene.redis.cli("CONFIG", "RESETSTAT");
  expect(await scene.board.listDue(500, ["announce", "attempt", "unreadable"])).toEqual([
    { kind: "attempt", claim, agent: agentName("coder"), attempt: 1 },
  ]);
  expect(await scene.board.listDue(500)).toHaveLength(501);
  const [, calls] =
    /cmdstat_zrangebyscore:calls=(\d+)/.exec(await scene.redis.cli("INFO", "commandstats")) ?? [];
  expect(Number(calls)).toBeLessThan(20);
});
