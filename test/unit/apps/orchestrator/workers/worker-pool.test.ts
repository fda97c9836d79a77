// The pool of workers that have one grant each, on a blackboard in memory.
import { expect, test } from "bun:test";
import type { WorkerHost } from "../../../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPool } from "../../../../../apps/orchestrator/workers/worker-pool.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { lead } from "../../../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../../../lib/core/claim-decision.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { queueGrant, running } from "../../../../support/blackboard/scene.ts";
import { agentName } from "../../../../support/records/sample.ts";

/** All but these are asked for by nothing. */
const never = () => Promise.reject(new Error("Nothing asks for this."));
const away = new SettError("kubernetes-unreachable", "The API server does not answer.");

test("a worker is started once its cluster answers again, and its attempt is not lost meanwhile", async () => {
  const agent = agentName("coder");
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const over = new AbortController();
  let starts = 0;
  const host: WorkerHost = {
    ...{ nameOf: () => "worker", list: async () => [], isThere: never, idOf: never },
    ...{ prepare: never, readLogs: never, remove: never, forgetLog: never, causeOf: never },
    start: async () => {
      starts += 1;
      if (starts === 1) throw away;
      over.abort();
    },
    wait: never,
  };
  const lost: unknown[] = [];
  const deps = {
    board: lead(board, 1),
    log: createJsonLog(() => {}, systemClock.now),
    decide: async (_: unknown, event: unknown) => lost.push(event),
    host,
  };
  await new WorkerPool(deps, { agent, replicas: 1 }).run(over.signal);
  expect([starts, lost]).toEqual([2, []]);
  const unlisted = { ...deps, host: { ...host, list: () => Promise.reject(away) } };
  const again = new WorkerPool(unlisted, { agent, replicas: 1 });
  await expect(again.run(new AbortController().signal)).rejects.toThrow("does not answer");
  expect(lost).toEqual([]);
  expect((await board.readClaim(claim.id))?.grants[0]?.state).toBe("queued");
});

test("where the blackboard is away while it is looked up who pays for a worker, no queued grant is lost", async () => {
  const agent = agentName("coder");
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const host: WorkerHost = {
    nameOf: () => "worker",
    list: async () => [{ name: "worker", claim: claim.id, attempt: 1, slot: 1 }],
    isThere: async () => true,
    idOf: async () => undefined,
    ...{ wait: never, start: never, prepare: never, readLogs: never, remove: never },
    ...{ forgetLog: never, causeOf: never },
  };
  const lost: unknown[] = [];
  const redisAway = async () => {
    throw new Error("Redis is away.");
  };
  const deps = {
    board: lead({ ...board, readSpending: redisAway }, 1),
    log: createJsonLog(() => {}, systemClock.now),
    decide: async (_: unknown, event: unknown) => lost.push(event),
    host,
  };
  const pool = new WorkerPool(deps, { agent, replicas: 2 });
  await expect(pool.run(new AbortController().signal)).rejects.toThrow("Redis is away.");
  expect(lost).toEqual([]);
});

test("the Failure of a worker that its runtime has ended says why, and of another its exit code", async () => {
  const agent = agentName("coder");
  const reasonOf = async (cause: string | undefined) => {
    const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
    const { claim } = await queueGrant(board);
    const over = new AbortController();
    const host: WorkerHost = {
      ...{ nameOf: () => "worker", list: async () => [], isThere: never, prepare: never },
      start: async () => {
        await board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 600_000 });
      },
      ...{ idOf: async () => "id", wait: async () => 137, causeOf: async () => cause },
      ...{
        readLogs: async (worker: string) => [{ worker, lines: [] }],
        remove: async () => {},
        forgetLog: never,
      },
    };
    const lost: string[] = [];
    const deps = {
      board: lead(board, 1),
      log: createJsonLog(() => {}, systemClock.now),
      decide: async (_: unknown, event: ClaimEvent) => {
        lost.push("reason" in event ? event.reason : event.kind);
        over.abort();
      },
      host,
    };
    await new WorkerPool(deps, { agent, replicas: 1 }).run(over.signal);
    const [kept] = await board.readWorkerLogs(agent);
    expect(kept?.lines.length).toBe(cause === undefined ? 0 : 1);
    if (cause !== undefined) expect(kept?.lines[0]).toContain(cause);
    return lost;
  };
  expect(await reasonOf("its pod was evicted: The node was low on memory.")).toEqual([
    "The worker ended before it posted a result: its pod was evicted: The node was low on memory.",
  ]);
  expect(await reasonOf("its pod was preempted")).toEqual([
    "The worker ended before it posted a result: its pod was preempted.",
  ]);
  expect(await reasonOf(undefined)).toEqual([
    "The worker ended with exit code 137 before it posted a result.",
  ]);
});

test("the worker of an attempt that a crash of Redis has taken back loses none, and the one on record begins", async () => {
  const agent = agentName("coder");
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const over = new AbortController();
  const started: number[] = [];
  const host: WorkerHost = {
    nameOf: () => "worker",
    list: async () => [{ name: "worker", claim: claim.id, attempt: 2, slot: 1 }],
    ...{ isThere: never, prepare: never, forgetLog: never },
    ...{ idOf: async () => "id", wait: async () => 0, causeOf: async () => undefined },
    ...{ readLogs: async (worker: string) => [{ worker, lines: [] }], remove: async () => {} },
    start: async ({ attempt }) => {
      started.push(attempt);
      over.abort();
    },
  };
  const lost: unknown[] = [];
  const deps = {
    board: lead(board, 1),
    log: createJsonLog(() => {}, systemClock.now),
    decide: async (_: unknown, event: unknown) => {
      lost.push(event);
      over.abort();
    },
    host,
  };
  await new WorkerPool(deps, { agent, replicas: 1 }).run(over.signal);
  expect([started, lost]).toEqual([[1], []]);
});
