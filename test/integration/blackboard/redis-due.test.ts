// Listing what is due in Redis has its cost, and an earlier version's entries are read.
import { expect, setDefaultTimeout, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { agentName } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";

setDefaultTimeout(120_000);

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

test("what an earlier version has written in one key is due as before, once there is a leader", async () => {
  await using scene = await createScene();
  const [one, two] = [newClaim(), newClaim()];
  const members = [
    `announce:${one}`,
    `lease:${one}:coder:1`,
    "nonsense",
    `attempt:${two}:coder:2`,
    `bids:${two}`,
  ];
  const later = (await scene.board.time()) + 3_600_000;
  await scene.redis.cli(
    "ZADD",
    scene.key("due"),
    ...members.flatMap((member, index) => [String(1_000 + index), member]),
  );
  await scene.redis.cli("ZADD", scene.key("due"), String(later), `bids:${one}`);
  // More than are moved at once.
  const many = "for i = 1, 2500 do redis.call('ZADD', KEYS[1], ARGV[1], 'bids:' .. i) end";
  await scene.redis.cli("EVAL", many, "1", scene.key("due"), String(later));
  await acquireLeaderLease(scene.board);
  expect(await scene.board.listDue(10)).toEqual([
    { kind: "announce", claim: one },
    { kind: "lease", claim: one, agent: agentName("coder"), attempt: 1 },
    { kind: "unreadable", member: "nonsense" },
    { kind: "attempt", claim: two, agent: agentName("coder"), attempt: 2 },
    { kind: "bids", claim: two },
  ]);
  expect(await scene.redis.cli("ZSCORE", scene.key("due:bids"), `bids:${one}`)).toBe(String(later));
  expect(await scene.redis.cli("ZCARD", scene.key("due:bids"))).toBe("2503");
  expect(await scene.redis.cli("EXISTS", scene.key("due"))).toBe("0");
});
