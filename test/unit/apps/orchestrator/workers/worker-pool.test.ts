// The pool of workers that have one grant each, on a blackboard in memory.
import { expect, test } from "bun:test";
import type { WorkerHost } from "../../../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPool } from "../../../../../apps/orchestrator/workers/worker-pool.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { lead } from "../../../../../lib/blackboard/port/leading.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { queueGrant } from "../../../../support/blackboard/scene.ts";
import { agentName } from "../../../../support/records/sample.ts";

test("where the blackboard is away while it is looked up who pays for a worker, no queued grant is lost", async () => {
  const agent = agentName("coder");
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const never = () => Promise.reject(new Error("Nothing asks for this."));
  const host: WorkerHost = {
    nameOf: () => "worker",
    list: async () => [{ name: "worker", claim: claim.id, attempt: 1, slot: 1 }],
    isThere: async () => true,
    idOf: async () => undefined,
    ...{ wait: never, start: never, prepare: never, readLog: never, remove: never },
    forgetLog: never,
  };
  const lost: unknown[] = [];
  const away = async () => {
    throw new Error("Redis is away.");
  };
  const deps = {
    board: lead({ ...board, readSpending: away }, 1),
    log: createJsonLog(() => {}, systemClock.now),
    decide: async (_: unknown, event: unknown) => lost.push(event),
    host,
  };
  const pool = new WorkerPool(deps, { agent, replicas: 2 });
  await expect(pool.run(new AbortController().signal)).rejects.toThrow("Redis is away.");
  expect(lost).toEqual([]);
});
