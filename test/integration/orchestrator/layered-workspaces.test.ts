// Workers that share the checkout of a commit: made once, kept as long as it is needed, and done
// without where it cannot be had. A real Engine; a script is in the place of the cub that makes it.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LayeredWorkspaces } from "../../../apps/orchestrator/workers/layered-workspaces.ts";
import type { LayersOptions } from "../../../apps/orchestrator/workers/layers.ts";
import { createStarterApp } from "../../../apps/orchestrator/workers/starter-app.ts";
import { StarterClient } from "../../../apps/orchestrator/workers/starter-client.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { ClaimId, CommitHash, GoalId } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { type Server, serve } from "../../../lib/service/serve.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { buildLayerMaker } from "../../support/docker/layer-maker.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const agent = agentName("tester");
/** Works in a part of the repository. */
const agentInPart = agentName("porter");
const user = { uid: 10001, gid: 10001 };

/** Says what it finds and of which kind its disk is, writes, and waits where the goal wants it. */
const script = `[ ! -e /workspace/file ] || head -c 8 /workspace/file; echo
grep " /workspace " /proc/self/mountinfo | grep -c overlay
echo new > /workspace/new; [ ! -e /git/objects/wait ] || sleep 600`;

const commitOf = (digit: string) => CommitHash.parse(digit.repeat(40));

let at: DockerInstance;
let image: string;
let store: string;

beforeAll(async () => {
  at = await dockerInstance();
  image = await buildLayerMaker(at);
});

beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), "sett-store-"));
  await chmod(store, 0o755);
  await writeFile(join(store, "pack"), "");
});

afterAll(() => at?.[Symbol.asyncDispose]());

/** A starter of its own, in an instance of its own. */
async function starter(
  options: Partial<Pick<LayersOptions, "limits" | "image">> = {},
  on?: DockerInstance,
) {
  const here = on ?? (await dockerInstance());
  const spec = {
    name: here.name("agent-tester"),
    image,
    labels: here.labels({ component: "agent" as const, agent, role: "tester" }),
    entrypoint: ["/bin/sh", "-c", script],
    env: { SETT_OBJECTS_DIR: "/git/objects" },
    user,
    mounts: [
      ...[{ kind: "volume" as const, volume: here.name("workspace-tester"), target: "/workspace" }],
      ...[{ kind: "bind" as const, path: store, target: "/git/objects" }],
    ].map((mount) => ({
      ...mount,
      access: mount.kind === "bind" ? ("ro" as const) : ("rw" as const),
    })),
    network: "none" as const,
    capabilities: "none" as const,
    restart: "no" as const,
  };
  const logged: { msg: string; level: string; reason?: string; commit?: string }[] = [];
  const log = createJsonLog((line) => logged.push(JSON.parse(line)), systemClock.now);
  const { workers } = here.runtime;
  const { layers } = workers;
  if (layers === undefined) throw new Error("Docker has layers.");
  const runtime = { ...workers, layers };
  const layered = new LayeredWorkspaces({ runtime, image, log, ...options });
  const inPart = { ...spec, env: { ...spec.env, SETT_WORKSPACE_PATHS: '["door/","*.md"]' } };
  const templates = [
    { agent, replicas: 9, spec },
    { agent: agentInPart, replicas: 9, spec: inPart },
  ];
  const app = createStarterApp(new RuntimeHost(workers, templates, { layered }));
  const server: Server = serve({ port: 0, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  const client = new StarterClient(`http://127.0.0.1:${server.port}`, here.instance);
  let slot = 0;
  const start = async (commit: CommitHash, of = agent) => {
    const [claim, goal] = [ClaimId.parse(crypto.randomUUID()), GoalId.parse(crypto.randomUUID())];
    slot = (slot % 9) + 1;
    const job = { agent: of, claim, goal, attempt: 1, slot, commit };
    await client.start(job);
    return client.nameOf(job);
  };
  /** Runs a worker to its end, and returns what it has written. */
  const run = async (commit: CommitHash, of = agent): Promise<string[]> => {
    const worker = await start(commit, of);
    await client.wait(worker, new AbortController().signal);
    const [log] = await client.readLogs(worker);
    await client.remove(worker);
    return log?.lines ?? [];
  };
  /** The second worker at a commit has its layer made. Both begin over one that is there. */
  const makeLayer = async (digit: string): Promise<void> => {
    for (const _worker of ["first", "second"]) await run(commitOf(digit));
    await waitFor("the layer", () =>
      logged.some(({ msg, commit }) => msg === "Made a layer" && commit === commitOf(digit)),
    );
  };
  /** Starts one that goes on; resolves when it has written. */
  const startLasting = async (commit: CommitHash): Promise<string> => {
    await writeFile(join(store, "wait"), "");
    const worker = await start(commit);
    const written = () =>
      here.runtime.observe.exec(worker, ["/bin/cat", "/workspace/new"]).then(
        ({ stdout }) => stdout === "new\n",
        () => false,
      );
    await waitFor("the worker to have written", written);
    await rm(join(store, "wait"));
    return worker;
  };
  const volumes = async (component: string) =>
    (await here.runtime.observe.parts(here.instance)).volumes
      .filter(({ labels }) => labels.component === component)
      .map(({ name }) => name);
  return {
    ...{ here, client, startLasting, run, makeLayer, volumes, logged },
    async [Symbol.asyncDispose]() {
      await server.stop();
      if (on === undefined) await here[Symbol.asyncDispose]();
    },
  };
}

/** How a worker finds its disk: over the layer of this commit, or one of its own. */
const over = (digit: string) => [digit.repeat(8), "1"];
const ownDisk = ["", "0"];

test("all first workers, also those that are started at once, lie over one checkout, and each finds it untouched", async () => {
  await using one = await starter();
  const found = await Promise.all([1, 2, 3].map(() => one.run(commitOf("a"))));
  expect(found).toEqual([over("a"), over("a"), over("a")]);
  expect(await one.run(commitOf("a"))).toEqual(over("a"));
  expect(one.logged.filter(({ msg }) => msg === "Made a layer")).toHaveLength(1);
  expect(await one.volumes("layer")).toHaveLength(1);
  // One is made before it is needed.
  await waitFor("the disks to be removed", async () => {
    const names = await one.volumes("workspace");
    return names.filter((name) => name.includes(".over-")).length === 0 && names.length <= 1;
  });
});

nightly(
  "a worker at another commit lies over the layer that is there, and the second one has that of its commit made",
  async () => {
    await using one = await starter();
    await one.run(commitOf("a"));
    expect(await one.run(commitOf("b"))).toEqual(over("a"));
    expect(await one.volumes("layer")).toHaveLength(1);
    await one.makeLayer("b");
    expect(await one.run(commitOf("b"))).toEqual(over("b"));
    expect(await one.run(commitOf("a"))).toEqual(over("a"));
    // No layer of this one can be made.
    for (const _worker of ["first", "second", "third"])
      expect(await one.run(commitOf("0"))).toEqual(over("a"));
    // Its making goes on beside the workers.
    await waitFor("no more", async () => (await one.volumes("layer")).length === 2);
  },
);

nightly("workers in a part of the repository have layers of their own", async () => {
  await using one = await starter();
  await one.run(commitOf("a"));
  const inPart = ['["door/"', "1"];
  expect(await one.run(commitOf("a"), agentInPart)).toEqual(inPart);
  expect(await one.run(commitOf("b"), agentInPart)).toEqual(inPart);
  expect(await one.run(commitOf("b"))).toEqual(over("a"));
  expect(await one.volumes("layer")).toHaveLength(2);
});

nightly(
  "where no layer can be made, a worker has the disk of its slot, and the next one does not try again",
  async () => {
    await using one = await starter();
    expect(await one.run(commitOf("0"))).toEqual(ownDisk);
    expect(await one.run(commitOf("0"))).toEqual(ownDisk);
    const { warn } = Object.groupBy(one.logged, ({ level }) => level);
    expect(warn).toHaveLength(1);
    expect(warn?.[0]?.reason).toBe("It ended with 3: no such commit");
    expect(await one.volumes("layer")).toEqual([]);
    expect(await one.run(commitOf("a"))).toEqual(over("a"));
  },
);

nightly(
  "where the Engine refuses the mount, workers go on with the disks of their slots",
  async () => {
    await using one = await starter();
    expect(await one.run(commitOf("1"))).toEqual(ownDisk);
    expect(await one.run(commitOf("a"))).toEqual(ownDisk);
    const { warn } = Object.groupBy(one.logged, ({ level }) => level);
    expect(warn?.map(({ msg }) => msg)).toEqual([
      "The Engine refuses a workspace over a layer; going on without",
    ]);
  },
);

nightly(
  "beyond the limit the layer goes that was used least recently, and never one of a worker that runs",
  async () => {
    await using one = await starter({
      limits: { maxLayers: 3, makingMs: 60_000, retryMs: 60_000 },
    });
    const running = await one.startLasting(commitOf("a"));
    await one.makeLayer("b");
    await one.makeLayer("c");
    expect(await one.run(commitOf("b"))).toEqual(over("b"));
    await one.makeLayer("d");
    const left = (await one.volumes("layer")).map((name) => name.split(".layer.")[1]?.[0]);
    expect(left.toSorted()).toEqual(["a", "b", "d"]);
    await one.here.runtime.apply.remove(running);
  },
);

nightly("who removes what no container uses takes no disk from a worker that runs", async () => {
  await using one = await starter();
  const running = await one.startLasting(commitOf("a"));
  const found = await one.here.runtime.observe.find(running);
  const workspace = found?.env.SETT_WORKER_WORKSPACE ?? "";
  const own = [workspace, workspace.replace(".over-", ".upper-"), ...(await one.volumes("layer"))];
  expect(own).toHaveLength(3);
  for (const volume of own)
    await expect(one.here.runtime.apply.removeVolume(volume)).rejects.toThrow();
  const look = ["/bin/sh", "-c", "cat /workspace/new /workspace/file | head -c 12"];
  expect((await one.here.runtime.observe.exec(running, look)).stdout).toBe("new\naaaaaaaa");
  await one.here.runtime.apply.remove(running);
});

nightly(
  "a new starter removes what the one before it has left, and nothing of a worker that runs",
  async () => {
    await using one = await starter();
    const running = await one.startLasting(commitOf("a"));
    await one.makeLayer("b");
    await waitFor(
      "a spare disk",
      async () =>
        (await one.volumes("workspace")).filter((name) => name.includes(".upper-")).length === 2,
    );
    await using next = await starter({}, one.here);
    expect(await next.run(commitOf("c"))).toEqual(over("c"));
    const left = (await one.volumes("layer")).map((name) => name.split(".layer.")[1]?.[0]);
    expect(left.toSorted()).toEqual(["a", "c"]);
    const found = await one.here.runtime.observe.find(running);
    expect(await one.volumes("workspace")).toContain(found?.env.SETT_WORKER_WORKSPACE ?? "");
    expect(
      (await one.here.runtime.observe.exec(running, ["/bin/sh", "-c", "cat /workspace/new"]))
        .stdout,
    ).toBe("new\n");
  },
);

test("a request for a commit that is none is refused", async () => {
  await using one = await starter();
  const job = { agent, attempt: 1, slot: 1 };
  const [claim, goal] = [ClaimId.parse(crypto.randomUUID()), GoalId.parse(crypto.randomUUID())];
  for (const commit of ["HEAD", "a".repeat(39)])
    expect(
      one.client.start({ ...job, claim, goal, commit: commit as CommitHash }),
    ).rejects.toThrow();
  expect(await one.volumes("layer")).toEqual([]);
});
