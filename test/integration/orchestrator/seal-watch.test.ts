// With `proof: { required: true }` an instance whose log is not sealed begins nothing new.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lateAfterMs, SealWatch } from "../../../apps/orchestrator/log/seal-watch.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { defaultPolicy } from "../../../lib/model/policy.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A notary that seals when the test says so, and a clock that the test moves. */
async function scene(name: string, policy = { ...defaultPolicy, proof_required: true as const }) {
  const board = await connectBlackboard({
    ...{ url: server.url, instance: InstanceName.parse(name), ...patient },
  });
  const leader = lead(board, await acquireLeaderLease(board));
  await board.takeProof("notary");
  let [size, nowMs] = [0, await board.time()];
  const log = createJsonLog(
    () => {},
    () => new Date(),
  );
  const watch = new SealWatch({ board: { ...leader, time: async () => nowMs }, policy, log });
  return {
    board,
    leader,
    seal: async () => {
      const place = await board.endOfEvents();
      const sealed = { size: size + 1, checkpoint: `of ${size + 1}`, place };
      await board.noteCheckpoint({ holder: "notary", before: size++, sealed });
    },
    record: () => leader.logAsLeader({ type: "instance_started" }),
    lookAfter: async (ms: number) => {
      nowMs += ms;
      await watch.runOnce();
      return (await board.readPause())?.by;
    },
    [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
  };
}

test("what is not sealed for a minute pauses the instance, and what is sealed again resumes it", async () => {
  await using at = await scene("late");
  await at.seal();
  expect(await at.lookAfter(0)).toBeUndefined();
  // Nothing has come since.
  expect(await at.lookAfter(10 * lateAfterMs)).toBeUndefined();
  await at.record();
  expect(await at.lookAfter(1_000)).toBeUndefined();
  expect(await at.lookAfter(lateAfterMs - 1)).toBeUndefined();
  const paused = await at.lookAfter(1);
  expect(paused).toBe(`orchestrator:${at.leader.epoch}`);
  expect(await at.lookAfter(lateAfterMs)).toBe(paused);
  // It goes on where something is sealed, though more has come since.
  await at.seal();
  await at.record();
  expect(await at.lookAfter(1_000)).toBeUndefined();
  const types = (await at.board.readEvents("0", 100)).map(({ type }) => type);
  expect(types.filter((type) => /paused|resumed/.test(type))).toEqual([
    "instance_paused",
    "instance_resumed",
  ]);
});

test("a notary that never began is late as well, and each checkpoint gives a minute anew", async () => {
  await using at = await scene("never");
  expect(await at.lookAfter(0)).toBeUndefined();
  expect(await at.lookAfter(lateAfterMs)).toStartWith("orchestrator:");
  await at.seal();
  expect(await at.lookAfter(0)).toBeUndefined();
  for (let minute = 0; minute < 3; minute++) {
    await at.record();
    expect(await at.lookAfter(1_000)).toBeUndefined();
    await at.seal();
    expect(await at.lookAfter(lateAfterMs)).toBeUndefined();
  }
});

test("a person's pause is the person's to end, and without `required` nothing is paused", async () => {
  await using at = await scene("person");
  const ada = { by: "person:Ada" as const, at: new Date().toISOString() };
  await at.leader.asOf().setPaused({ ...ada, paused: true });
  expect(await at.lookAfter(0)).toBe("person:Ada");
  expect(await at.lookAfter(lateAfterMs)).toBe("person:Ada");
  await at.seal();
  expect(await at.lookAfter(1_000)).toBe("person:Ada");
  await using free = await scene("free", defaultPolicy as never);
  expect(await free.lookAfter(0)).toBeUndefined();
  expect(await free.lookAfter(lateAfterMs)).toBeUndefined();
});
