// A sett with a model, in real containers: an agent's command calls it through the gateway, and no
// agent ever sees the provider's key.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { startProvider } from "../support/models/provider-container.ts";
import { nightly } from "../support/nightly.ts";
import { untilWritten } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/** All have the same beginning, by which they are looked for. */
const mark = "sk-of-the-tests";
const keys = [`${mark}-one`, `${mark}-two`] as const;

const agents = `agents:
  asker:
    build: { context: ./agents/asker }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
`;
const models = `models:
  local:
    provider: openai
    base_url: http://provider:4010/v1
    model: test-model
    key: \${PROVIDER_KEY}
    price: { input: 1, output: 2 }
`;
const withModel = `version: '1.0'\n${models}${agents}    model: local\n`;

let sett: SettWorkspace;
let provider: AsyncDisposable;
/**
 * Calls are recorded here, in the repository, which counts as clean for the next goal all the same.
 */
const calls = "calls";
/** The words of the first `up`, while the provider was down. */
let first: { code: number; out: string; err: string };

const container = (part: string) => `sett-${sett.name}-${part}`;
const up = (...words: string[]) => sett.sett("up", "--name", sett.name, ...words);

async function said(goal: string): Promise<Artefact> {
  const id = await sett.forage(goal);
  const find = async () => (await sett.artefacts(id)).find(({ type }) => type !== "GoalDefined");
  return await waitFor(`the answer to ${goal}`, find, { everyMs: 100 });
}

async function startedAt(part: string): Promise<string> {
  return (
    await $`docker inspect --format ${"{{.State.StartedAt}} {{.RestartCount}}"} ${container(part)}`.text()
  ).trim();
}

beforeAll(async () => {
  sett = await SettWorkspace.create({
    "sett.yml": withModel,
    "agents/asker/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh asker.ts /app/\n",
    "agents/asker/run.sh": "#!/bin/sh\nBUN_BE_BUN=1 exec /cub/cub run /app/asker.ts\n",
    "agents/asker/asker.ts": await readFile(join(root, "test/support/models/asker.ts"), "utf8"),
  });
  await sett.commit("Add a sett");
  sett.env = { PROVIDER_KEY: keys[0] };
  first = await up("--record", calls);
  if (first.code !== 0) throw new Error(first.err);
  provider = await startProvider(`sett-${sett.name}`, keys);
});

afterAll(async () => {
  await provider?.[Symbol.asyncDispose]();
  await sett?.[Symbol.asyncDispose]();
});

test("a provider that is down at the start is named, and the sett starts all the same", async () => {
  expect(first.code).toBe(0);
  expect(first.out).toContain(`${sett.name} is up: redis, orchestrator, gateway, asker\n`);
  expect(first.err).toContain("http://provider:4010/v1, of the model local, cannot be reached");
});

test("a command reaches the model through the usual variables: the provider, which refuses every other key, gets its own", async () => {
  expect(await said("hello")).toMatchObject({
    type: "Said",
    payload: "Hello! How can I help you today?",
  });
  const { err } = await up("--record", calls);
  expect(err).not.toContain("cannot be reached");
});

test("no place that an agent, or a person without the key, can look at has the key", async () => {
  expect(JSON.parse((await said("hunt")).payload)).toEqual([]);
  await untilWritten(["docker", "exec", container("redis"), "redis-cli"]);
  const places = {
    containers:
      await $`docker inspect ${["redis", "orchestrator", "gateway", "agent-asker"].map(container)}`.text(),
    volumes:
      await $`docker volume inspect ${container("record")} ${container("blackboard")}`.text(),
    Redis: await $`docker exec ${container("redis")} sh -c ${"cat /data/appendonlydir/*"}`.text(),
    logs: (
      await Promise.all(
        ["redis", "orchestrator", "gateway", "asker"].map((part) => sett.need("logs", part)),
      )
    ).join("\n"),
    record:
      await $`docker cp ${`${container("gateway")}:/record`} - | tar -xO --wildcards ${"*.gz"} | zcat`.text(),
    debug: JSON.stringify(await up("--record", calls, "--debug")),
    state: await $`docker exec ${container("agent-asker")} cat /proc/self/environ`.text(),
  };
  for (const [place, text] of Object.entries(places)) {
    expect([place, text.length > 0, text.includes(mark)]).toEqual([place, true, false]);
  }
  expect(places.record).toContain("How can I help you today?");
  expect(await $`grep -rl hello ${calls}`.cwd(sett.folder).nothrow().text()).toContain(
    "/asker/0001.json",
  );
  expect(await $`grep -rl ${mark} ${sett.folder}`.nothrow().text()).toBe("");
});

nightly("another key needs no restart, and a wrong one is named by its model", async () => {
  const before = await startedAt("gateway");
  sett.env = { PROVIDER_KEY: keys[1] };
  const changed = await up("--record", calls);
  expect(changed.out).toContain("nothing has changed: redis, orchestrator, gateway, asker");
  expect((await said("goodbye")).payload).toBe("Goodbye! Have a great day!");
  sett.env = { PROVIDER_KEY: `${mark}-wrong` };
  const wrong = await up("--record", calls);
  expect(wrong.code).toBe(0);
  expect(wrong.err).toContain("http://provider:4010/v1 refuses the key of the model local (401)");
  expect(wrong.err + wrong.out).not.toContain(mark);
  sett.env = { PROVIDER_KEY: keys[0] };
  await up("--record", calls);
  expect(await startedAt("gateway")).toBe(before);
});

nightly("a gateway that was killed comes back in its container, with its keys", async () => {
  const before = await startedAt("gateway");
  const processes = async () =>
    (await $`docker top ${container("gateway")} -o pid,args`.text()).split("\n");
  const program = async () =>
    (await processes())
      .find((line) => /^\s*\d+\s+\/gateway\b/.test(line))
      ?.trim()
      .split(/\s+/)[0];
  const pid = await program();
  process.kill(Number(pid), "SIGKILL");
  await waitFor("another process", async () => ![undefined, pid].includes(await program()), {
    everyMs: 100,
  });
  const health = () =>
    $`docker exec ${container("gateway")} /gateway --healthcheck`.quiet().nothrow();
  await waitFor("its port", async () => (await health()).exitCode === 0, { everyMs: 100 });
  expect((await said("hello")).payload).toBe("Hello! How can I help you today?");
  expect(await startedAt("gateway")).toBe(before);
});

nightly(
  "a restart of the container loses the keys: `list` and `status` say so, and `up` brings them back",
  async () => {
    const isMissing =
      "The gateway does not have the key of the model local: a restart of its container clears its memory.";
    const listed = async () => (await sett.look("list")).err.includes(`${sett.name}: ${isMissing}`);
    expect(await listed()).toBe(false);
    await $`docker restart ${container("gateway")}`.quiet();
    await waitFor("the keys to be missed", listed, { everyMs: 200 });
    expect(await sett.need("status")).toContain(isMissing);
    expect((await said("hello")).payload).toContain("run `sett up`");
    const { out } = await up("--record", calls);
    expect(out).toContain("nothing has changed");
    expect(await listed()).toBe(false);
    expect(await sett.need("status")).not.toContain(isMissing);
  },
);

nightly("recorded calls are answered again without the key and without the provider", async () => {
  await provider[Symbol.asyncDispose]();
  sett.env = {};
  await sett.commit("Keep the recorded calls");
  const replayed = await up("--replay", calls);
  expect(replayed.out).toContain(": replaced gateway; kept redis, orchestrator, asker\n");
  expect(replayed.err).toContain(
    `Calls of models are answered from ${join(sett.folder, calls)}: a replay`,
  );
  expect((await said("hello")).payload).toBe("Hello! How can I help you today?");
  expect(await sett.need("status")).not.toContain("does not have the key");
});

nightly(
  "without `models` the gateway leaves, and its record stays until `down --volumes`",
  async () => {
    await sett.write({ "sett.yml": `version: '1.0'\n${agents}` });
    await sett.commit("Remove the model");
    expect((await up()).out).toContain(
      ": replaced asker; stopped gateway; kept redis, orchestrator\n",
    );
    const parts =
      await $`docker ps --all --format ${"{{.Names}}"} --filter label=dev.sett.instance=${sett.name}`.text();
    expect(parts).not.toContain("gateway");
    expect(await sett.need("logs", "gateway")).toContain("Gateway started");
    await sett.need("down", "--name", sett.name);
    const volumes = async () =>
      await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name}`.text();
    expect((await volumes()).trim().split("\n").sort()).toEqual([
      container("blackboard"),
      container("record"),
    ]);
    await sett.need("down", "--name", sett.name, "--volumes", "--force");
    expect(await volumes()).toBe("");
  },
);
