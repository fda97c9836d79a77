// Workers that do not begin: what is queued is begun again, so often; real processes, and a
// person's hand in the workers' place.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createStarterApp } from "../../../apps/orchestrator/workers/starter-app.ts";
import { StarterClient } from "../../../apps/orchestrator/workers/starter-client.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPool } from "../../../apps/orchestrator/workers/worker-pool.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { workerName } from "../../../lib/runtime/names.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import { done, queueGrant, resultOf, running } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { processInstance } from "../../support/process/process-instance.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);
const agent = agentName("coder");

/**
 * A pool whose workers run `script`, with a file of their own in `$RUNS`, on a board that `wrap`
 * may trouble.
 */
async function startPool(script: string, wrap = (board: Blackboard) => board) {
  const at = await processInstance();
  const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  const decided: ClaimEvent[] = [];
  /** How many workers had been started by the time of each decision. */
  const startsBefore: number[] = [];
  const log: { msg: string }[] = [];
  const runs = join(at.folder, "runs");
  const started = async () => (await readFile(runs, "utf8").catch(() => "")).split("\n").length - 1;
  const parts = {
    board: lead(
      wrap({ ...board, followGrants: (who, signal) => board.followGrants(who, signal, 20) }),
      1,
    ),
    log: createJsonLog((line) => log.push(JSON.parse(line)), systemClock.now),
    // The grant stays queued, so that its worker is soon started again.
    decide: async (_: unknown, event: ClaimEvent) => {
      startsBefore.push(await started());
      return decided.push(event);
    },
  };
  const spec = {
    name: at.name("agent-coder"),
    image: "",
    labels: at.labels({ component: "agent", agent, role: "coder" }),
    entrypoint: ["/bin/sh", "-c", script],
    env: { RUNS: runs },
    mounts: [],
    capabilities: "none" as const,
    restart: "no" as const,
    stopTimeoutSeconds: 1,
  };
  const stop = new AbortController();
  const { claim, goal } = await queueGrant(board);
  const template = { agent, replicas: 2, spec };
  // As in containers: the starter has the runtime, and the orchestrator asks it.
  const starter = serve(
    { port: 0, hostname: "127.0.0.1" },
    createStarterApp(new RuntimeHost(at.runtime.workers, [template])).fetch,
  );
  const host = new StarterClient(`http://127.0.0.1:${starter.port}`, at.instance);
  const ended = new WorkerPool({ ...parts, host }, template).run(stop.signal);
  const worker = workerName(at.instance, agent, claim.id, 1);
  return {
    runtime: at.runtime,
    ...{ board, claim, goal, decided, startsBefore, log, worker },
    started,
    isRunning: async () => (await at.runtime.observe.find(worker))?.state.state === "running",
    isGone: async () => (await at.runtime.observe.find(worker)) === undefined,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await starter.stop();
      await at[Symbol.asyncDispose]();
    },
  };
}

test("a grant gets its worker although a passing error came first", async () => {
  let isFirst = true;
  const wrap = (board: Blackboard): Blackboard => ({
    ...board,
    readPause: async () => {
      if (!isFirst) return board.readPause();
      isFirst = false;
      throw new Error("A passing error.");
    },
  });
  await using pool = await startPool("exec sleep 600", wrap);
  await waitFor("the worker", pool.isRunning);
  expect(pool.log[0]?.msg).toBe("Could not run or watch a worker");
  expect(pool.decided).toEqual([]);
});

test("a grant has one worker, however often its wake-up comes", async () => {
  await using pool = await startPool('echo >> "$RUNS"; exec sleep 600');
  await waitFor("the worker", async () => (await pool.started()) > 0);
  // It may have begun before its start is answered.
  await waitFor("its start to be said", () => pool.log.length > 0);
  let looks = 0;
  for await (const _ of pool.board.followGrants(agent, AbortSignal.timeout(60_000), 20))
    if (++looks > 5) break;
  expect(await pool.started()).toBe(1);
  expect(pool.log.map(({ msg }) => msg)).toEqual(["Started a worker"]);
});

test("a worker that ends before it has begun is started again, and its grant can be done", async () => {
  await using pool = await startPool(
    'if [ -e "$RUNS" ]; then exec sleep 600; fi; echo >> "$RUNS"; exit 3',
  );
  const starts = () => pool.log.filter(({ msg }) => msg === "Started a worker").length;
  await waitFor("the second start", async () => starts() === 2 && (await pool.isRunning()));
  const { board, claim, goal } = pool;
  await board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
  await board.finishGrant(done(claim.id, resultOf(goal, claim)));
  await pool.runtime.apply.stop(pool.worker, 1);
  await waitFor("its end", pool.isGone);
  expect(await pool.started()).toBe(1);
  expect(pool.log.map(({ msg }) => msg)).toContain("A worker did not begin; starting another");
});

nightly(
  "a worker that never begins is started three times, then its attempt is lost, and the reason says so",
  async () => {
    await using pool = await startPool('echo >> "$RUNS"; exit 3');
    await waitFor("the decision", () => pool.decided.length > 0);
    const reason =
      "The worker ended with exit code 3 before it posted a result. It had not begun, in 3 tries.";
    expect(pool.decided[0]).toEqual({ kind: "worker_lost", agent, attempt: 1, reason });
    expect(pool.startsBefore[0]).toBe(3);
  },
);

test("a worker that ends after it has begun is not started again, for it may have done something", async () => {
  await using pool = await startPool('echo >> "$RUNS"; exec sleep 600');
  await waitFor("the worker", async () => (await pool.started()) > 0);
  await pool.board.acceptGrant({ claim: pool.claim.id, grant: running("coder"), leaseMs: 60_000 });
  await pool.runtime.apply.stop(pool.worker, 1);
  await waitFor("the decision", () => pool.decided.length > 0);
  const reason = expect.stringMatching(/^The worker .* before it posted a result\.$/);
  expect(pool.decided).toEqual([{ kind: "worker_lost", agent, attempt: 1, reason }]);
  expect(await pool.started()).toBe(1);
});
