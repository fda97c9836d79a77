// Refusals of artefacts that their writers have removed go, however many there are, and triggers
// that an earlier version has on record.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OldRefusals } from "../../../apps/orchestrator/claims/old-refusals.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { TriggerName } from "../../../lib/model/trigger.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { newArtefactId } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const fill =
  "for i = 1, 5000 do redis.call('HSET', KEYS[1], 'gone-' .. i, ('0'):rep(64) .. ' no') end";

test("thousands of refusals are looked at page by page, and the one whose artefact is there stays", async () => {
  const instance = InstanceName.parse("refusals");
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  const refusals = new OldRefusals({ board: lead(board, await acquireLeaderLease(board)) });
  const key = `sett:${instance}:artefacts:refused`;
  const there = newArtefactId();
  await server.cli("EVAL", fill, "1", key);
  await server.cli("HSET", key, there, "0 no");
  await server.cli("HSET", `sett:${instance}:artifact:${there}`, "payload", "x");
  let pages = 1;
  for (; (await refusals.runOnce()) < 1_000; pages += 1) expect(pages).toBeLessThan(100);
  expect(pages).toBeGreaterThan(1);
  expect((await server.cli("HKEYS", key)).trim()).toBe(there);
});

test("a trigger that is on record from an earlier version is forgotten once sett.yml has had it and has it no more", async () => {
  const instance = InstanceName.parse("earlier");
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  const nightly = TriggerName.parse("nightly");
  await server.cli(
    "HSET",
    `sett:${instance}:trigger:${nightly}`,
    "since",
    "2026-01-01T00:00:00.000Z",
  );
  expect(await board.forgetTriggers([nightly])).toBe(0);
  expect((await board.readTrigger(nightly)).size).toBe(1);
  expect(await board.forgetTriggers([])).toBe(1);
  expect((await board.readTrigger(nightly)).size).toBe(0);
});
