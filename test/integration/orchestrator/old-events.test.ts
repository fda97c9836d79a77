// Events of no goal go after the time that sett.yml names, and nothing else does.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OldEvents } from "../../../apps/orchestrator/log/old-events.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../../lib/model/policy.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { newGoalId } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

const dayMs = 86_400_000;
let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const log = createJsonLog(
  () => {},
  () => new Date(),
);

/** A log that begins long ago, with more events than are looked at together. */
async function scene(name: string) {
  const instance = InstanceName.parse(name);
  const board = await connectBlackboard({ url: server.url, instance, ...patient });
  const add = (atMs: number, count: number, type: string, event: object) =>
    server.cli(
      "EVAL",
      fill,
      "1",
      `sett:${instance}:events`,
      String(atMs),
      String(count),
      type,
      JSON.stringify(event),
    );
  const now = Date.now();
  await add(now - 40 * dayMs, 700, "api_called", { actor: "person:Ada" });
  await add(now - 39 * dayMs, 3, "goal_ended", { actor: "person:Ada", goal_id: newGoalId() });
  await add(now - 38 * dayMs, 1, "claim_dreamt", { actor: "hand" });
  await add(now - 20 * dayMs, 5, "api_called", { actor: "person:Ada" });
  const epoch = await acquireLeaderLease(board);
  const leader = lead(board, epoch);
  const types = async () => {
    const counts: Record<string, number> = {};
    for (const { type } of await board.readEvents("0", 5_000))
      counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };
  const old = (days: number | undefined, more: Partial<Policy> = {}) =>
    new OldEvents({
      board: leader,
      policy: {
        ...{ ...defaultPolicy, ...more },
        ...(days !== undefined && { other_events_ms: days * dayMs }),
      },
      log,
    });
  return { board, leader, types, old };
}

const fill =
  "for i = 1, ARGV[2] do redis.call('XADD', KEYS[1], ARGV[1] .. '-' .. i, 'type', ARGV[3], 'event', ARGV[4]) end";
const all = { api_called: 705, goal_ended: 3, unreadable: 1, orchestrator_started: 1 };

test("old events of no goal are removed page by page, once they are handled, and are not missed", async () => {
  const { board, leader, types, old } = await scene("handled");
  await using _ = board;
  const looks = old(30);
  await looks.runOnce();
  // The cursor has not passed them.
  expect(await types()).toEqual(all);
  await leader.moveCursor(await board.endOfEvents());
  expect(await looks.runOnce()).toBeLessThan(1_000);
  expect(await looks.runOnce()).toBeGreaterThan(1_000);
  expect(await types()).toEqual({ ...all, api_called: 5 });
  expect((await board.countLostEvents()).lost).toBe(0);
  await looks.runOnce();
  expect(await types()).toEqual({ ...all, api_called: 5 });
});

test("without `retention.other_events` all of them stay", async () => {
  const { board, leader, types, old } = await scene("kept");
  await using _ = board;
  await leader.moveCursor(await board.endOfEvents());
  await old(undefined).runOnce();
  expect(await types()).toEqual(all);
});

test("where a notary seals the log, what it has not sealed stays", async () => {
  const { board, leader, types, old } = await scene("sealed");
  await using _ = board;
  await leader.moveCursor(await board.endOfEvents());
  const looks = old(30, { sealed: true });
  await looks.runOnce();
  expect(await types()).toEqual(all);
  const [third] = (await board.readEvents("0", 3)).slice(-1);
  await board.takeProof("notary");
  const sealed = { size: 1, checkpoint: "of 1", place: third?.id ?? "" };
  await board.noteCheckpoint({ holder: "notary", before: 0, sealed });
  await looks.runOnce();
  expect(await types()).toEqual({ ...all, api_called: 702 });
});
