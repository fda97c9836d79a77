// Shows what the reader of logs gives a client at its socket, and what it does not: on a real
// Engine.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReaderApp } from "../../../lib/logs/reader-app.ts";
import { ReaderClient } from "../../../lib/logs/reader-client.ts";
import { RuntimeLogs } from "../../../lib/logs/runtime-logs.ts";
import { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { workerName } from "../../../lib/runtime/names.ts";
import { openSocket, reachable } from "../../../lib/service/forward.ts";
import { type Server, serve } from "../../../lib/service/serve.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { tinyImage } from "../../support/docker/tiny-image.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const agent = agentName("tester");
let at: DockerInstance;
let other: DockerInstance;
let server: Server;
let client: ReaderClient;
let folder: string;

const bare = {
  image: tinyImage,
  env: {},
  mounts: [],
  capabilities: "none" as const,
  restart: "no" as const,
};

beforeAll(async () => {
  [at, other, folder] = await Promise.all([
    dockerInstance(),
    dockerInstance(),
    mkdtemp(join(tmpdir(), "sett-reader-")),
  ]);
  await at.runtime.apply.start({
    ...bare,
    name: at.name("agent-tester"),
    labels: at.labels({ component: "agent" as const, agent, role: "tester" }),
    entrypoint: ["/bin/sh", "-c", "echo one; echo two >&2; echo three; sleep 600"],
  });
  await other.runtime.apply.start({
    ...bare,
    name: other.name("orchestrator"),
    labels: other.labels({ component: "orchestrator" as const }),
    entrypoint: ["/bin/sh", "-c", "echo of another instance; sleep 600"],
  });
  server = serve(
    { port: 0, hostname: "127.0.0.1", isPatient: true },
    createReaderApp(new RuntimeLogs(at.runtime.observe, at.instance)).fetch,
  );
  const socket = join(folder, "logs.sock");
  await openSocket(socket, server.port ?? 0);
  client = new ReaderClient(await reachable(`unix:${socket}`));
});

afterAll(async () => {
  await server?.stop();
  await at?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function lines(name: string, tail?: number): Promise<string[] | undefined> {
  const read = await client.read(name, { tail, signal: new AbortController().signal });
  return read === undefined ? undefined : await Array.fromAsync(read);
}

test("it gives the last lines of a part, in order of time", async () => {
  await waitFor("three lines", async () => (await lines("tester"))?.length === 3);
  expect((await lines("tester"))?.toSorted()).toEqual(["one", "three", "two"]);
  expect((await lines("tester", 1))?.length).toBe(1);
  expect(await lines("tester", 0)).toEqual([]);
});

test("it knows the parts of its own instance, and no other container of the Engine", async () => {
  expect(await client.names()).toEqual(["tester"]);
  expect(await lines("orchestrator")).toBeUndefined();
  expect(await lines(other.name("orchestrator"))).toBeUndefined();
});

test("it follows an agent with its workers, and ends with the one who asked", async () => {
  const over = new AbortController();
  const read = await client.read("tester", { tail: 0, follow: true, signal: over.signal });
  if (read === undefined) throw new Error("There is no tester.");
  const seen: string[] = [];
  const reading = (async () => {
    for await (const line of read) seen.push(line);
  })();
  const claim = ClaimId.parse(crypto.randomUUID());
  await at.runtime.apply.start({
    ...bare,
    name: workerName(at.instance, agent, claim, 1),
    labels: at.labels({
      component: "worker" as const,
      ...{ agent, role: "tester", attempt: 1 },
      ...{ goal: GoalId.parse(crypto.randomUUID()), claim },
    }),
    entrypoint: ["/bin/sh", "-c", "echo of a worker; sleep 600"],
  });
  await waitFor("the worker's line", () => seen.includes("of a worker"));
  over.abort();
  await reading;
  expect(await lines("tester")).toContain("of a worker");
});

test("it can do nothing else: every other request is unknown", async () => {
  const url = `http://127.0.0.1:${server.port}`;
  for (const [method, path] of [
    ["POST", "/parts/tester/log"],
    ["DELETE", "/parts/tester"],
    ["GET", "/containers/json"],
    ["POST", "/containers/create"],
    ["GET", "/parts/tester/log/../../../containers/json"],
  ] as const) {
    expect((await fetch(`${url}${path}`, { method })).status).toBe(404);
  }
  expect((await fetch(`${url}/parts/tester/log?tail=all`)).status).toBe(400);
});
