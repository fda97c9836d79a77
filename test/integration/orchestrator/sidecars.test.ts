// Services beside an agent, on a real Engine: each worker has its own, which nothing else reaches.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { containerIn } from "../../../apps/cub/container/own-process.ts";
import { createStarterApp } from "../../../apps/orchestrator/workers/starter-app.ts";
import { StarterClient } from "../../../apps/orchestrator/workers/starter-client.ts";
import {
  RuntimeHost,
  type WorkerTemplate,
} from "../../../apps/orchestrator/workers/worker-host.ts";
import { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import type { SidecarSpec } from "../../../lib/runtime/container-spec.ts";
import { newInstanceId } from "../../../lib/runtime/instance-id.ts";
import { sidecarName } from "../../../lib/runtime/names.ts";
import { type Server, serve } from "../../../lib/service/serve.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { tinyImage } from "../../support/docker/tiny-image.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const id = newInstanceId("0011223344556677", new Date());
const at8080 = "wget -q -O - http://127.0.0.1:8080/said";
let at: DockerInstance;
let server: Server;
let client: StarterClient;

const service = (name: string, script: string, more: Partial<SidecarSpec> = {}): SidecarSpec => ({
  ...{ name, image: tinyImage, command: ["/bin/sh", "-c", script] },
  ...{ env: {}, resources: { memoryBytes: 64 * 1024 ** 2 }, pidsLimit: 100, readyMs: 60_000 },
  ...more,
});

/** It answers at port 8080 after a while, with what a variable says. */
const web = service(
  "web",
  'mkdir -p /tmp/web; echo "$SAID" > /tmp/web/said; sleep 1; echo began; exec httpd -f -p 127.0.0.1:8080 -h /tmp/web',
  { env: { SAID: "hello" }, ready: ["/bin/sh", "-c", at8080] },
);

const agents: Record<string, { script: string; sidecars: SidecarSpec[] }> = {
  tester: {
    script: `echo "$(${at8080}) at $(cat /proc/self/mountinfo | grep hostname)"; ls /sys/class/net; echo | nc 127.0.0.1 9000`,
    sidecars: [
      web,
      service(
        "other",
        `${at8080}; grep -E "CapBnd|NoNewPrivs" /proc/self/status; nc -l -p 9000 > /dev/null; exit 3`,
      ),
    ],
  },
  silent: {
    script: "true",
    sidecars: [service("db", "sleep 600", { ready: ["/bin/false"], readyMs: 2_000 })],
  },
  broken: {
    script: "true",
    sidecars: [web, service("db", "echo no disk; exit 4", { ready: ["/bin/true"] })],
  },
};

beforeAll(async () => {
  at = await dockerInstance();
  const templates = Object.entries(agents).map(([name, { script, sidecars }]): WorkerTemplate => {
    const agent = agentName(name);
    const spec = {
      name: at.name(`agent-${name}`),
      image: tinyImage,
      labels: { ...at.labels({ component: "agent" as const, agent, role: name }), id },
      entrypoint: ["/bin/sh", "-c", script],
      ...{ env: {}, mounts: [], network: "none" as const, sidecars },
      ...{ capabilities: "none" as const, restart: "unless-stopped" as const },
    };
    return { agent, replicas: 2, spec };
  });
  const host = new RuntimeHost(at.runtime.workers, templates);
  const app = createStarterApp(host);
  server = serve({ port: 0, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  client = new StarterClient(`http://127.0.0.1:${server.port}`, at.instance);
});

afterAll(async () => {
  await server?.stop();
  await at?.[Symbol.asyncDispose]();
});

const jobOf = (agent: string, slot = 1) => ({
  agent: agentName(agent),
  ...{ claim: ClaimId.parse(crypto.randomUUID()), goal: GoalId.parse(crypto.randomUUID()) },
  ...{ attempt: 1, slot },
});

async function namesOfWork(): Promise<string[]> {
  const { containers } = await at.runtime.observe.parts(at.instance);
  return containers.flatMap(({ name, labels }) =>
    ["worker", "sidecar"].includes(labels.component) ? [name] : [],
  );
}

test("a worker begins when its services are ready, which are localhost to it, and go with it", async () => {
  const jobs = [jobOf("tester", 1), jobOf("tester", 2)];
  // Both listen at the same port, each in the network of its own worker.
  await Promise.all(jobs.map((job) => client.start(job)));
  for (const job of jobs) {
    const worker = client.nameOf(job);
    // The next leader may ask for the same, and takes no service from a worker.
    const before = await namesOfWork();
    expect(await errorOf(client.start(job))).toMatchObject({ code: "instance-taken" });
    expect(await namesOfWork()).toEqual(before);
    expect(await client.wait(worker, new AbortController().signal)).toBe(0);
    const logs = await waitFor("the end of the other service", async () => {
      const found = await client.readLogs(worker);
      return JSON.stringify(found).includes("has ended") ? found : undefined;
    });
    expect(logs.map((log) => log.worker)).toEqual([
      worker,
      sidecarName(worker, "other"),
      sidecarName(worker, "web"),
    ]);
    const [own, other, beside] = logs.map(({ lines }) => lines);
    expect(own?.[0]).toStartWith("hello at ");
    // It has no network but its own loopback.
    expect(own?.slice(1)).toEqual(["lo"]);
    // Its cub says by this where it runs.
    expect((await client.stateOf(worker))?.id).toBe(containerIn(own?.[0] ?? "") as string);
    expect(beside?.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ service: "web", stream: "stdout", text: "began" }),
    ]);
    expect(other?.map((line) => JSON.parse(line))).toMatchObject([
      { service: "other", text: "hello" },
      { text: "CapBnd:\t0000000000000000" },
      { text: "NoNewPrivs:\t1" },
      { service: "other", msg: "A service has ended", exit_code: 3 },
    ]);
    await client.remove(worker);
  }
  expect(await namesOfWork()).toEqual([]);
});

test("a service that never is ready, or ends before, is named with what it has printed, and nothing is left", async () => {
  expect(await errorOf(client.start(jobOf("silent")))).toMatchObject({
    code: "not-ready",
    message: "The service `db` was not ready within 2 s. It has printed nothing.",
  });
  expect(await errorOf(client.start(jobOf("broken")))).toMatchObject({
    code: "not-ready",
    message: "The service `db` has ended, with exit code 4. It has printed: no disk",
  });
  expect(await namesOfWork()).toEqual([]);
});

test("services whose worker never came are removed by the starter's next look", async () => {
  const job = jobOf("tester");
  const left = sidecarName(client.nameOf(job), "web");
  await at.runtime.apply.start({
    ...{ name: left, image: tinyImage, entrypoint: ["/bin/sh", "-c", "sleep 600"], env: {} },
    labels: { ...at.labels({ component: "sidecar", agent: job.agent }), id },
    ...{ mounts: [], capabilities: "none", restart: "no" },
  });
  expect(await namesOfWork()).toEqual([left]);
  expect(await client.list(agentName("silent"))).toEqual([]);
  expect(await namesOfWork()).toEqual([left]);
  expect(await client.list(job.agent)).toEqual([]);
  expect(await namesOfWork()).toEqual([]);
});
