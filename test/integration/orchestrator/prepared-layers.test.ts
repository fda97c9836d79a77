// What is prepared for workers is made once for each key, kept as long as it is needed, and made
// again after a failure. A real Engine; a script is in the place of the cub that makes it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LayerVolumes } from "../../../apps/orchestrator/workers/layer-volumes.ts";
import {
  PreparedLayers,
  type PreparedOptions,
} from "../../../apps/orchestrator/workers/prepared-layers.ts";
import { createStarterApp } from "../../../apps/orchestrator/workers/starter-app.ts";
import { StarterClient } from "../../../apps/orchestrator/workers/starter-client.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { Workers } from "../../../apps/orchestrator/workers/workers.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import { events, queueGrant } from "../../support/blackboard/scene.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { tinyImage } from "../../support/docker/tiny-image.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";

setDefaultTimeout(600_000);

const digest = `sha256:${"d".repeat(64)}`;

/**
 * The first digit of a commit is that of its key's files. Those of `0` are not there, and the
 * command fails with those of `f`, and writes much before it fails with those of `9`.
 */
const maker = `#!/bin/sh
files=$(echo "$SETT_PREPARE" | sed 's/.*"commit":"\\(.\\).*/\\1/')
case "$2 $files" in
  "key 0") echo '{"reason":"no such file"}'; exit 1 ;;
  key*) echo "{\\"files\\":\\"$files\\"}" ;;
  "run f") echo '{"msg":"output"}'; echo '{"reason":"no such package"}'; exit 1 ;;
  "run 9") x=x; while [ "\${#x}" -lt 20000 ]; do x=$x$x; done; for _ in 1 2 3 4 5 6 7 8 9; do echo $x; done; echo '{"reason":"much"}'; exit 1 ;;
  run*) cat /proc/sys/kernel/random/uuid > /workspace/id; echo '{"msg":"output"}' ;;
  seal*) mkdir /workspace/tree && mv /workspace/id /workspace/tree && echo '{"digest":"${digest}","files":1,"bytes":37}' ;;
esac
`;

const baseOf = (digits: string) => ({
  commit: CommitHash.parse(digits.padEnd(40, "1")),
  agent: "" as const,
});

let at: DockerInstance;
let image: string;

beforeAll(async () => {
  at = await dockerInstance();
  const contextDir = await mkdtemp(join(tmpdir(), "sett-maker-"));
  await writeFile(join(contextDir, "cub"), maker);
  await chmod(join(contextDir, "cub"), 0o755);
  await writeFile(join(contextDir, "Dockerfile"), `FROM ${tinyImage}\nCOPY cub /cub/cub\n`);
  image = at.imageTag("maker");
  await at.runtime.engine.images.build(
    { contextDir, dockerfile: "Dockerfile", args: {}, tag: image, labels: {} },
    { onProgress: () => {} },
  );
  await rm(contextDir, { recursive: true });
});

afterAll(() => at?.[Symbol.asyncDispose]());

/** Of an instance of its own. */
async function prepared(limits?: PreparedOptions["limits"]) {
  const here = await dockerInstance();
  const { workers } = here.runtime;
  const { layers } = workers;
  if (layers === undefined) throw new Error("Docker has layers.");
  const log = createJsonLog(() => {}, systemClock.now);
  const volumes = new LayerVolumes({ runtime: { ...workers, layers }, image });
  const all = new PreparedLayers({ volumes, image, log, ...(limits && { limits }) });
  const templateOf = (run: string) => ({
    ...{ run, key: ["lock"], egress: [], timeout_ms: 60_000 },
    spec: {
      name: here.name("agent-tester"),
      image,
      labels: here.labels({ component: "agent" as const, agent: agentName("tester"), role: "" }),
      env: {},
      user: { uid: 10001, gid: 10001 },
      mounts: [],
      capabilities: "none" as const,
      restart: "no" as const,
    },
  });
  const ask = (digits: string, { by = "a", attempt = 1, run = "install" } = {}) =>
    all.ready(templateOf(run), baseOf(digits), { agent: agentName(by), claim: "c", attempt });
  /** What was made, by its volume. */
  const volumeOf = (digits: string) =>
    all.holding(templateOf("install"), baseOf(digits), async ({ volume }) => volume);
  const parts = async () => {
    const { volumes: found, containers } = await here.runtime.observe.parts(here.instance);
    expect(containers).toEqual([]);
    return found.map(({ name }) => name).toSorted();
  };
  const holding = (digits: string, use: () => Promise<void>) =>
    all.holding(templateOf("install"), baseOf(digits), use);
  /** By way of the starter, as the orchestrator has it. */
  const starter = () => {
    const prepare = templateOf("install");
    const spec = { ...prepare.spec, entrypoint: ["/bin/sh", "-c", "exit 3"] };
    const templates = [{ agent: agentName("tester"), replicas: 1, spec, prepare }];
    const host = new RuntimeHost(workers, templates, { prepared: all });
    const server = serve({ port: 0, hostname: "127.0.0.1" }, createStarterApp(host).fetch);
    const client = new StarterClient(`http://127.0.0.1:${server.port}`, here.instance);
    return { client, log, [Symbol.asyncDispose]: () => server.stop() };
  };
  return {
    ...{ ask, volumeOf, holding, parts, starter },
    [Symbol.asyncDispose]: here[Symbol.asyncDispose],
  };
}

test("all who ask for the same files share one making, and its log goes with the first alone", async () => {
  await using one = await prepared();
  const content = { digest, files: 1, bytes: 37 };
  const ready = { outcome: "ready" as const, content, key: expect.any(String) };
  const answers = ["a", "b", "c"].map((by) => one.ask("a", { by }));
  const found = await Promise.all(answers);
  for (const each of found) expect(each).toMatchObject({ outcome: "ready", content });
  expect(found.filter((each) => "log" in each)).toHaveLength(1);
  // Another commit with these files, and the one for whom it was made, who asks again.
  expect(await one.ask("a2", { by: "d" })).toEqual({ ...ready, duration_ms: expect.any(Number) });
  const logs = await Promise.all(["a", "b", "c"].map((by) => one.ask("a", { by })));
  expect(logs.filter((each) => "log" in each)).toHaveLength(1);
  expect(await one.parts()).toEqual([await one.volumeOf("a")]);
  // Another command, and other files.
  await one.ask("a", { run: "another" });
  await one.ask("b");
  expect(await one.parts()).toHaveLength(3);
});

test.each(["a", "f"])(
  "it is on record once, however often the grant for which it was made begins (%s)",
  async (digits) => {
    await using one = await prepared();
    await using starter = one.starter();
    const board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
    const { claim, agent } = await queueGrant(board, "tester");
    const { client: host, log } = starter;
    const begin = async (attempt = 1) => {
      // Each time by another leader.
      const workers = new Workers({ board: lead(board, 1), host, log }, agent);
      const job = { claim: claim.id, goal: claim.goal_id, slot: 1, base: baseOf(digits) };
      const need = { isWanted: async () => true };
      return await workers.run({ ...job, attempt }, need, new AbortController().signal);
    };
    const ends = [await begin(), await begin()];
    const reason =
      digits === "f"
        ? expect.stringContaining("no such package")
        : expect.stringContaining("code 3");
    expect(ends).toMatchObject([{ reason }, { reason }]);
    const records = await events(board, "workspace_prepared");
    expect(records).toHaveLength(digits === "f" ? 0 : 1);
    const ofMaking = async () =>
      (await board.readWorkerLogs(agent)).filter(({ lines }) => lines.join("").includes("output"));
    expect(await ofMaking()).toHaveLength(1);
    // One that is made again is on record again.
    await begin(2);
    expect(await ofMaking()).toHaveLength(digits === "f" ? 2 : 1);
  },
);

nightly(
  "a failure is answered to all who wait for it, leaves nothing, and is tried again for the next attempt",
  async () => {
    await using one = await prepared();
    const found = await Promise.all([one.ask("f", { by: "a" }), one.ask("f", { by: "b" })]);
    // The one that waits does not have the output itself.
    const reasons = new Set(found.map((each) => "reason" in each && each.reason));
    expect([...reasons]).toEqual([
      expect.stringMatching(/^no such package\. `sett logs [ab]` has its output\.$/),
    ]);
    const [first] = found.flatMap((each) => ("log" in each ? [each.log] : []));
    expect(first?.lines).toEqual(['{"msg":"output"}', '{"reason":"no such package"}']);
    // Who knows it causes no other one.
    const again = await one.ask("f", { by: "a" });
    expect("log" in again && again.log?.container).toBe(first?.container ?? "");
    const next = await one.ask("f", { by: "a", attempt: 2 });
    expect("log" in next && next.log?.container).not.toBe(first?.container);
    expect(await one.ask("0")).toEqual({ outcome: "failed", reason: "no such file" });
    expect(await one.parts()).toEqual([]);
    expect(one.volumeOf("f")).rejects.toThrow("not there any more");
  },
);

test("of an endless log the end is kept", async () => {
  await using one = await prepared();
  const found = await one.ask("9");
  expect(found).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/^much\. /) });
  const lines = ("log" in found && found.log?.lines) || [];
  expect(lines.at(-1)).toBe('{"reason":"much"}');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.join("").length).toBeLessThanOrEqual(64 * 1024);
});

nightly(
  "beyond the limit the one goes that was used least recently, and none that a worker is started with",
  async () => {
    await using one = await prepared({ maxPrepared: 2, stepMs: 60_000 });
    await one.ask("a");
    const first = await one.volumeOf("a");
    await one.holding("a", async () => {
      await one.ask("b");
      await one.ask("a");
      await one.ask("c");
      expect(await one.parts()).toEqual([first, await one.volumeOf("c")].toSorted());
      await one.ask("d");
      expect(await one.parts()).toEqual([first, await one.volumeOf("d")].toSorted());
    });
    await one.ask("d");
    await one.ask("e");
    expect(await one.parts()).toEqual(
      [await one.volumeOf("d"), await one.volumeOf("e")].toSorted(),
    );
  },
);
