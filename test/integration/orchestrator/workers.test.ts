// Workers that cannot be had: an engine that is not there or refuses, an image that has vanished.
// Real engines, as far as there are any.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkersOf } from "../../../apps/orchestrator/workers/pool-frame.ts";
import type { WorkerTemplate } from "../../../apps/orchestrator/workers/worker-host.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { WorkerPool } from "../../../apps/orchestrator/workers/worker-pool.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import {
  madeLabel,
  type PartKind,
  type PartLabels,
  writeLabels,
} from "../../../lib/runtime/labels.ts";
import { workerName } from "../../../lib/runtime/names.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import { queueGrant } from "../../support/blackboard/scene.ts";
import {
  type DockerInstance,
  dockerInstance,
  elsewhere,
} from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

/** It only bids: its work is for workers. */
const instance = InstanceName.parse("clan");
const tester = {
  ...{ bids: [{ on: "GoalDefined", bid: "exclusive" as const }], script: "exit 1" },
  ...{ replicas: 2, strategy: "fresh_per_call" as const },
};

function template(
  { name, labels }: Pick<DockerInstance, "name" | "labels">,
  image: string,
): WorkerTemplate {
  const agent = agentName("tester");
  const spec: WorkerTemplate["spec"] = {
    name: name("agent-tester"),
    image,
    labels: labels({ component: "agent", agent, role: "tester" }),
    entrypoint: ["/bin/sh", "-c", "exit 3"],
    env: {},
    mounts: [],
    capabilities: "none",
    restart: "unless-stopped",
  };
  return { agent, replicas: 2, spec };
}

/** An engine's socket that answers everything with this status and message. */
async function refusingEngine(
  status: number,
  message: string,
): Promise<AsyncDisposable & { socketPath: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const socketPath = join(folder, "docker.sock");
  const server = createServer((_, response) => {
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ message }));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  await chmod(socketPath, 0o777);
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns what becomes of two goals, one after the other, and of a third that is another agent's.
 */
async function failures(workers: WorkersOf): Promise<string[]> {
  const bids = [{ on: "GoalDefined", bid: "claim" as const }];
  const script = `echo '{"artefact_type":"Report","artefact_payload":"","summary":""}'`;
  await using clan = await startClan({ tester, other: { bids, script } }, { workers });
  const said: string[] = [];
  for (const text of ["one", "two"]) {
    const artefacts = await clan.settled(await clan.postGoal(text));
    const kinds = artefacts.map(({ structural_type, type }) => `${structural_type} ${type}`);
    expect(kinds).toEqual(["Standard GoalDefined", "Standard Report", "Failure AttemptLost"]);
    said.push(artefacts[2]?.metadata.summary ?? "");
  }
  return said;
}

const nowhere = {
  name: (suffix: string) => `sett-clan-${suffix}`,
  labels: (kind: PartKind): PartLabels => ({
    instance,
    workspace: elsewhere,
    version: "0.0.0",
    id: "aa.1",
    ...kind,
  }),
};

const workersOn = (runtime: Runtime, one: WorkerTemplate) => ({
  host: new RuntimeHost(runtime.workers, [one]),
  scales: [one],
});

const failuresAt = async (socketPath: string) =>
  await failures(workersOn(await dockerRuntime({ socketPath }), template(nowhere, tinyImage)));

nightly(
  "where the engine's socket is missing, or no Engine listens at it, work for a worker fails and says so",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
    await writeFile(join(folder, "stale.sock"), "");
    for (const socket of ["missing.sock", "stale.sock"])
      for (const reason of await failuresAt(join(folder, socket)))
        expect(reason).toStartWith(
          "The worker could not be started: The Docker Engine does not answer: ",
        );
    await rm(folder, { recursive: true });
  },
);

test("where the engine refuses, work for a worker fails with what the engine says", async () => {
  await using engine = await refusingEngine(403, "authorization denied by plugin");
  for (const reason of await failuresAt(engine.socketPath))
    expect(reason).toMatch(
      /^The worker could not be started: Docker could not .*: authorization denied by plugin\./,
    );
});

nightly(
  "where the agent's image has vanished, work for a worker fails and names it; nothing is left on the engine",
  async () => {
    await using at = await dockerInstance();
    const image = at.imageTag("vanished");
    const [first, second] = await failures(workersOn(at.runtime, template(at, image)));
    expect(first).toStartWith(
      "The worker could not be started: Docker could not create the container ",
    );
    expect(first).toContain(`it does not have the image ${image}.`);
    expect(second).toContain(image);
    expect((await at.runtime.observe.parts(at.instance)).containers).toEqual([]);
  },
);

nightly("a worker that ends without a result costs its attempt, and is taken away", async () => {
  await using at = await dockerInstance();
  const [first, second] = await failures(workersOn(at.runtime, template(at, tinyImage)));
  expect(first).toBe(
    "The worker ended with exit code 3 before it posted a result. It had not begun, in 3 tries. Attempt 1 is lost.",
  );
  expect(second).toBe(String(first));
  expect((await at.runtime.observe.parts(at.instance)).containers).toEqual([]);
});

nightly(
  "a worker that was created and never started, as when its engine was restarted in between, is started",
  async () => {
    await using at = await dockerInstance();
    const board = await blackboardInMemory({ instance }).open();
    const { claim, goal } = await queueGrant(board);
    const agent = agentName("coder");
    const name = workerName(at.instance, agent, claim.id, 1);
    const of = { agent, role: "coder", claim: claim.id, attempt: 1, goal: goal.goal_id };
    const written = writeLabels(at.labels({ component: "worker", ...of }));
    const labels = Object.entries({ ...written, [madeLabel]: "one" });
    await docker(
      "create",
      "--name",
      name,
      ...labels.flatMap((label) => ["--label", label.join("=")]),
      tinyImage,
      "true",
    );
    expect((await at.runtime.observe.find(name))?.state).toEqual({ state: "created" });
    const { spec } = template(at, tinyImage);
    const decided: unknown[] = [];
    const log = createJsonLog(() => {}, systemClock.now);
    const decide = async (_: unknown, event: unknown) => decided.push(event);
    const sleeps = { ...spec, entrypoint: ["/bin/sh", "-c", "exec sleep 600"] };
    const one = { agent, replicas: 1, spec: sleeps };
    const pool = new WorkerPool(
      { board: lead(board, 1), log, host: new RuntimeHost(at.runtime.workers, [one]), decide },
      one,
    );
    const stop = new AbortController();
    const ended = pool.run(stop.signal);
    const isRunning = async () => (await at.runtime.observe.find(name))?.state.state === "running";
    await waitFor("the worker", isRunning);
    expect(decided).toEqual([]);
    stop.abort();
    await ended;
  },
);
