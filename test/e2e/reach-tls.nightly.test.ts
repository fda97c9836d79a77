// An instance whose agents reach services by TLS (`services.reach: tls`), in real containers: a
// goal that needs a model and a host, and what a command gets that goes its own way.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { startProvider } from "../support/models/provider-container.ts";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const key = "sk-of-the-tests";
const host = "host.docker.internal";
let sett: SettWorkspace;
let provider: AsyncDisposable;
let outside: ReturnType<typeof Bun.serve>;

const container = (part: string) => `sett-${sett.name}-${part}`;

/** `other` may have the model as well, so that it has something to gain. */
const settings = (port: number) => `version: '1.0'
services: { reach: tls }
models:
  local:
    provider: openai
    base_url: http://provider:4010/v1
    model: test-model
    key: \${PROVIDER_KEY}
    price: { input: 1, output: 2 }
agents:
  asker:
    build: { context: ./agents/asker }
    command: ["/app/run.sh"]
    model: local
    egress: ["${host}:${port}"]
    bids: [{ on: GoalDefined, bid: exclusive }]
  other:
    build: { context: ./agents/asker }
    command: ["/app/run.sh"]
    model: local
    network: direct
    bids: [{ on: Nothing, bid: ignore }]
`;

beforeAll(async () => {
  outside = Bun.serve({ port: 0, hostname: "0.0.0.0", fetch: () => new Response("from outside") });
  sett = await SettWorkspace.create({
    "sett.yml": settings(outside.port ?? 0),
    "agents/asker/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh program.ts /app/\n",
    "agents/asker/run.sh": "#!/bin/sh\nBUN_BE_BUN=1 exec /cub/cub run /app/program.ts\n",
    "agents/asker/program.ts": await readFile(join(root, "test/support/reach/asker.ts"), "utf8"),
  });
  await sett.commit("Add a sett");
  sett.env = { PROVIDER_KEY: key };
  await sett.up();
  provider = await startProvider(`sett-${sett.name}`, [key]);
});

afterAll(async () => {
  await provider?.[Symbol.asyncDispose]();
  await sett?.[Symbol.asyncDispose]();
  await outside?.stop(true);
});

async function addressOf(part: string, network: string): Promise<string> {
  const [{ NetworkSettings }] = JSON.parse(await $`docker inspect ${container(part)}`.text());
  return NetworkSettings.Networks[network].IPAddress;
}

/** Returns what the command of `asker` has found. */
async function found(goal: object): Promise<Record<string, unknown>> {
  const id = await sett.forage(JSON.stringify(goal));
  const isDone = async () => (await sett.artefacts(id)).find(({ type }) => type === "Found");
  return JSON.parse((await waitFor("what it found", isDone, { everyMs: 100 })).payload);
}

test("a goal with a model and a host ends as by sockets, and no other way leads out", async () => {
  const closed = `sett-${sett.name}.closed`;
  const own = (await addressOf("agent-asker", `${closed}.asker`)).replace(/\d+$/, "");
  const [gateway, egress] = [
    await addressOf("gateway", `${closed}.asker`),
    await addressOf("egress", `${closed}.asker`),
  ];
  const direct = [gateway, egress].flatMap((address) =>
    [8080, 8443].map((port) => [address, port]),
  );
  const machine = await $`ip -4 -o addr show scope global`.text();
  const places = [
    ...[...machine.matchAll(/inet ([\d.]+)\//g)].map(([, address]) => [address, outside.port]),
    // The place of a bridge in its network, whatever the network's size is.
    ...[1, 65, 129, 193].map((last) => [`${own}${last}`, outside.port]),
    [await addressOf("agent-other", `${closed}.other`), 8080],
    [await addressOf("orchestrator", `sett-${sett.name}`), 8080],
    ...direct,
  ];
  const names = [host, "example.org", container("orchestrator"), container("agent-other")];
  const page = `http://${host}:${outside.port}/`;
  expect(await found({ outside: page, places, names, direct })).toEqual({
    ...{ model: "hello", outside: "from outside", proofs: [], resolved: [] },
    sockets: ["/run/sett/recorder/recorder.sock"],
    // The ports for TLS are open, and answer no one without a proof.
    reached: [`${gateway}:8443`, `${egress}:8443`],
    answers: [],
  });
  expect(await sett.need("logs", "egress")).toContain(`"agent":"asker","host":"${host}"`);
});

test("a service that is made anew is reached again, and agents stay as they are", async () => {
  const agents = async () =>
    await $`docker inspect --format {{.Id}} ${container("agent-asker")}`.text();
  const before = await agents();
  await $`docker rm --force ${container("gateway")}`.quiet();
  await sett.up();
  expect(await agents()).toBe(before);
  expect(await found({})).toMatchObject({ model: "hello" });
});

test("`doctor` finds the networks right, and `down` leaves none of them behind", async () => {
  const { out } = await sett.sett("doctor", "--json");
  const findings = JSON.parse(out).findings.filter(
    ({ check }: { check: string }) => check === "network",
  );
  expect(findings).toMatchObject([{ level: "ok" }, { level: "warning" }]);
  await provider[Symbol.asyncDispose]();
  await sett.need("down", "--name", sett.name);
  expect(await $`docker network ls --filter name=sett-${sett.name} --quiet`.text()).toBe("");
});
