// The pool of workers that last, on a blackboard in memory, with workers that the test ends.
import { expect, setDefaultTimeout, test } from "bun:test";
import { LastingPool } from "../../../../../apps/orchestrator/workers/lasting-pool.ts";
import type { WorkerHost } from "../../../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPlaces } from "../../../../../apps/orchestrator/workers/worker-places.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { Doorbell } from "../../../../../lib/async/doorbell.ts";
import type { Blackboard } from "../../../../../lib/blackboard/port/blackboard.ts";
import { lead } from "../../../../../lib/blackboard/port/leading.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { queueGrant } from "../../../../support/blackboard/scene.ts";
import { agentName } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

setDefaultTimeout(120_000);

const [coder, tester] = [agentName("coder"), agentName("tester")];

async function poolOn(wrap: (board: Blackboard) => Partial<Blackboard>) {
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const { claim } = await queueGrant(board);
  const watched: AbortSignal[] = [];
  const worker = { name: "worker", claim: claim.id, attempt: 1, slot: 1 };
  const never = () => Promise.reject(new Error("Nothing asks for this."));
  const host: WorkerHost = {
    nameOf: () => worker.name,
    list: async () => [worker],
    stateOf: async () => ({ id: "id", hasBegun: true }),
    wait: (_, signal) => {
      watched.push(signal);
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("It is over."))),
      );
    },
    ...{ start: never, prepare: never, readLogs: never, remove: never },
    forgetLog: async () => {},
  };
  const places = new WorkerPlaces([coder, tester], 1);
  const deps = {
    board: lead({ ...board, ...wrap(board) }, 1),
    ...{ host, clock: systemClock, decide: never },
    log: createJsonLog(() => {}, systemClock.now),
  };
  const scale = { agent: coder, replicas: 2, idleMs: 1_000 };
  return { pool: new LastingPool(deps, scale, places, new Doorbell()), places, claim, watched };
}

test("where the blackboard is away, nothing watches its workers any more: the next pool does", async () => {
  const { pool, watched } = await poolOn(() => ({
    readPause: () => Promise.reject(new Error("Redis is away.")),
  }));
  expect(pool.run(new AbortController().signal)).rejects.toThrow("Redis is away.");
  await waitFor("the end of what it watches", () => watched[0]?.aborted === true);
});

test("no worker of another agent takes the place of one that runs, while it is looked up who pays for that", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAsked = false;
  const { pool, places, claim, watched } = await poolOn((board) => ({
    readClaim: async (id) => {
      isAsked = true;
      await promise;
      return board.readClaim(id);
    },
  }));
  const stop = new AbortController();
  const ended = pool.run(stop.signal);
  const started: unknown[] = [];
  using _ = places.open(tester, { slots: 1, start: (worker) => started.push(worker) });
  places.add({ agent: tester, claim: claim.id, by: "ada" });
  await waitFor("the question", () => isAsked);
  places.fill();
  resolve();
  await waitFor("the watch", () => watched.length > 0);
  places.fill();
  expect([started, places.workersOf(coder)]).toEqual([[], 1]);
  stop.abort();
  await ended;
});
