// Shows what the starter of workers does for a client at its socket, and what it does not: on a
// real Engine.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createStarterApp } from "../../../apps/orchestrator/workers/starter-app.ts";
import { StarterClient } from "../../../apps/orchestrator/workers/starter-client.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { newInstanceId } from "../../../lib/runtime/instance-id.ts";
import { type Server, serve } from "../../../lib/service/serve.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { tinyImage } from "../../support/docker/tiny-image.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentName } from "../../support/records/sample.ts";

setDefaultTimeout(600_000);

const agent = agentName("tester");
const id = newInstanceId("0011223344556677", new Date());
let at: DockerInstance;
let server: Server;
let client: StarterClient;

beforeAll(async () => {
  at = await dockerInstance();
  const spec = {
    name: at.name("agent-tester"),
    image: tinyImage,
    labels: { ...at.labels({ component: "agent" as const, agent, role: "tester" }), id },
    entrypoint: ["/bin/sh", "-c", "echo $SETT_GRANT_ATTEMPT $0 $1; sleep 1; exit 7"],
    env: {},
    mounts: [],
    capabilities: "none" as const,
    restart: "unless-stopped" as const,
  };
  await at.runtime.apply.start({ ...spec, entrypoint: ["/bin/sh", "-c", "sleep 600"] });
  server = serve(
    { port: 0, hostname: "127.0.0.1", isPatient: true },
    createStarterApp(new RuntimeHost(at.runtime.workers, [{ agent, replicas: 2, spec }])).fetch,
  );
  client = new StarterClient(`http://127.0.0.1:${server.port}`, at.instance);
});

afterAll(async () => {
  await server?.stop();
  await at?.[Symbol.asyncDispose]();
});

const job = (slot = 1) => ({
  agent,
  ...{
    claim: ClaimId.parse(crypto.randomUUID()),
    goal: GoalId.parse(crypto.randomUUID()),
    attempt: 3,
    slot,
  },
});

test("it starts a worker of a template, says how it ended and what it wrote, and removes it", async () => {
  const one = job(2);
  const worker = client.nameOf(one);
  await client.start(one);
  expect(await client.list(agent)).toEqual([
    { name: worker, claim: one.claim, attempt: 3, slot: 2 },
  ]);
  expect(await errorOf(client.start(one))).toMatchObject({ code: "instance-taken" });
  // This is what its volume bears makes it the instance's own for the next `sett up`.
  const { volumes } = await at.runtime.observe.parts(at.instance);
  expect(volumes.map(({ name, labels }) => [name, labels.id])).toEqual([
    [at.name("workspace-tester.2"), id],
  ]);
  expect(await client.wait(worker, new AbortController().signal)).toBe(7);
  expect(await client.readLogs(worker)).toEqual([
    { worker, lines: [`3 --execute-claim ${one.claim}`] },
  ]);
  await client.remove(worker);
  expect(await client.stateOf(worker)).toBeUndefined();
  expect(await client.list(agent)).toEqual([]);
});

test("it touches nothing that is no worker, and starts nothing that is in no template", async () => {
  const other = at.name("agent-tester");
  const refused = { code: "not-found", message: "No worker of these templates has such a name." };
  const { signal } = new AbortController();
  const requests = [
    client.stateOf(other),
    client.remove(other),
    client.readLogs(other),
    client.wait(other, signal),
  ];
  for (const error of await Promise.all(requests.map(errorOf)))
    expect(error).toMatchObject(refused);
  expect((await at.runtime.observe.find(other))?.state.state).toBe("running");
  const gone = client.nameOf(job());
  expect(await client.stateOf(gone)).toBeUndefined();
  expect(await errorOf(client.readLogs(gone))).toMatchObject({
    code: "docker-failed",
    message: `There is no worker ${gone}.`,
  });
  expect(await errorOf(client.start({ ...job(), agent: agentName("other") }))).toMatchObject({
    code: "agent-not-found",
  });
  expect(await errorOf(client.start(job(3)))).toMatchObject({
    message: "tester has 2 workers, and no slot 3.",
  });
  expect(
    await errorOf(client.start({ ...job(), image: "debian", mounts: ["/"] } as never)),
  ).toMatchObject({
    message: "The request is malformed.",
  });
  for (const wrong of [{ attempt: 0 }, { slot: 0 }, { claim: "../../x" }, { agent: "a/b" }])
    expect(await errorOf(client.start({ ...job(), ...wrong } as never))).toMatchObject({
      message: "The request is malformed.",
    });
  expect((await at.runtime.observe.parts(at.instance)).containers.map(({ name }) => name)).toEqual([
    other,
  ]);
});

test("a name that is none of a worker is refused, and the Engine is requests nothing", async () => {
  const worker = client.nameOf(job());
  for (const name of [
    ...[
      "..%2f..%2finfo",
      ".",
      "..%2f..%2f_ping",
      `${worker}%2f..%2f..%2finfo`,
      `${worker}%3fforce=1`,
      `${worker}%23`,
      `${worker}%0a`,
    ],
    ...[
      `${at.name("redis")}`,
      `${at.name("worker-other-01234567-1")}`,
      `${worker}0x`,
      `x${worker}`,
      "%ff",
      "%",
    ],
  ]) {
    for (const [method, rest] of [
      ["GET", ""],
      ["GET", "/end"],
      ["GET", "/log"],
      ["DELETE", ""],
    ] as const) {
      const { status } = await fetch(`http://127.0.0.1:${server.port}/workers/${name}${rest}`, {
        method,
      });
      expect([method, name, rest, status]).toEqual([method, name, rest, 404]);
    }
  }
  expect(await client.list(agent)).toEqual([]);
});

test("no other request does anything", async () => {
  for (const [method, path] of [
    ["POST", "containers/create"],
    ["GET", "containers/json"],
    ["POST", "v1.44/containers/create"],
    ["PUT", "workers"],
    ["POST", "workers/x/exec"],
  ] as const) {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/${path}`, {
      method,
      ...(method !== "GET" && { body: "{}" }),
    });
    expect([path, status]).toEqual([path, 404]);
  }
});
