// The pool of workers that have one grant each, on a blackboard in memory.
import { expect, test } from "bun:test";
import type { WorkerHost } from "../../../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPool } from "../../../../../apps/orchestrator/workers/worker-pool.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { lead } from "../../../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../../../lib/core/claim-decision.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { EndCause } from "../../../../../lib/runtime/port.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { at, commitOf, queued, queueGrant, running } from "../../../../support/blackboard/scene.ts";
import { agentName } from "../../../../support/records/sample.ts";

/** All but these are asked for by nothing. */
const never = () => Promise.reject(new Error("Nothing asks for this."));
const away = new SettError("kubernetes-unreachable", "The API server does not answer.");

const refused = new SettError("kubernetes-failed", "jobs.batch is forbidden: exceeded quota.");

test.each([
  ["answers again", away],
  ["does not refuse it any more", refused],
])(
  "a worker is started once its cluster %s, and its attempt is not lost meanwhile",
  async (_, error) => {
    const agent = agentName("coder");
    const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
    const { claim } = await queueGrant(board);
    const over = new AbortController();
    let starts = 0;
    const host: WorkerHost = {
      ...{ nameOf: () => "worker", list: async () => [], stateOf: never },
      ...{ prepare: never, readLogs: never, remove: never, forgetLog: never },
      start: async () => {
        starts += 1;
        if (starts === 1) throw error;
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
  },
);

test("where the blackboard is away while it is looked up who pays for a worker, no queued grant is lost", async () => {
  const agent = agentName("coder");
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const host: WorkerHost = {
    nameOf: () => "worker",
    list: async () => [{ name: "worker", claim: claim.id, attempt: 1, slot: 1 }],
    stateOf: async () => undefined,
    ...{ wait: never, start: never, prepare: never, readLogs: never, remove: never },
    forgetLog: never,
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
  const reasonOf = async (cause?: EndCause) => {
    const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
    const { claim } = await queueGrant(board);
    const over = new AbortController();
    const host: WorkerHost = {
      ...{ nameOf: () => "worker", list: async () => [], prepare: never },
      start: async () => {
        await board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 600_000 });
      },
      stateOf: async () => ({ id: "id", hasBegun: true, ...(cause && { cause }) }),
      wait: async () => 137,
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
        lost.push(event.kind, "reason" in event ? event.reason : "");
        over.abort();
      },
      host,
    };
    await new WorkerPool(deps, { agent, replicas: 1 }).run(over.signal);
    const [kept] = await board.readWorkerLogs(agent);
    expect(kept?.lines.length).toBe(cause === undefined ? 0 : 1);
    if (cause !== undefined) expect(kept?.lines[0]).toContain(cause.sentence);
    return lost;
  };
  const evicted = "its pod was evicted: The node was low on memory.";
  expect(await reasonOf({ sentence: evicted, isDisruption: true })).toEqual([
    "worker_disrupted",
    "The worker ended before it posted a result: its pod was evicted: The node was low on memory.",
  ]);
  const over = "its time was over";
  expect(await reasonOf({ sentence: over, isDisruption: false })).toEqual([
    "worker_lost",
    "The worker ended before it posted a result: its time was over.",
  ]);
  expect(await reasonOf()).toEqual([
    "worker_lost",
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
    ...{ prepare: never, forgetLog: never },
    stateOf: async () => ({ id: "id", hasBegun: true }),
    wait: async () => 0,
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

test("a worker that waits for room goes with its grant, and one that has begun ends by itself", async () => {
  const agent = agentName("coder");
  const removalOf = async (hasBegun: boolean) => {
    const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
    const { claim, epoch } = await queueGrant(board);
    const over = new AbortController();
    const looked = Promise.withResolvers<void>();
    const removed: string[] = [];
    const host: WorkerHost = {
      ...{ nameOf: () => "worker", list: async () => [], prepare: never, forgetLog: never },
      start: async () => {
        const ended = { state: "cancelled" as const, ended_at: at, reason: "It is cancelled." };
        const grants = [{ ...queued("coder"), ...ended }];
        await board.commitClaim(commitOf(claim.id, epoch, 1, { grants }));
      },
      stateOf: async () => {
        // The first look is for the id of its container.
        if (removed.length === 0 && looks++ > 0) looked.resolve();
        return { id: "id", hasBegun };
      },
      wait: (_, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("It is over."))),
        ),
      readLogs: async () => [],
      remove: async (worker) => {
        removed.push(worker);
        over.abort();
      },
    };
    let looks = 0;
    const deps = {
      board: lead(board, epoch),
      log: createJsonLog(() => {}, systemClock.now),
      decide: never,
      host,
    };
    const running = new WorkerPool(deps, { agent, replicas: 1 }).run(over.signal);
    await looked.promise;
    if (hasBegun) over.abort();
    await running;
    return removed;
  };
  expect(await removalOf(false)).toEqual(["worker"]);
  expect(await removalOf(true)).toEqual([]);
}, 120_000);
