// What sett.yml says about times and ports is what the running parts go by. Without containers, so
// that their ports can be asked.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readState } from "../../lib/runtime/process/registry.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

let home: string;
let sett: SettWorkspace;
let ports: { orchestrator: number; hasty: number };

/** An agent that takes the goal with its own name. */
const agent = (name: string, script: string, more: string) => `  ${name}:
    image: machine
    command: ["sh", "-c", ${JSON.stringify(script)}]
    bid_command: ["sh", "-c", "grep -q '\\"payload\\":\\"${name}\\"' && echo exclusive || echo ignore"]
${more}`;

const settings = () => `version: '1.0'
limits: { lease: 5m, shutdown: 1s }
agents:
${agent("hasty", "sleep 300", `    health_port: ${ports.hasty}\n`)}
${agent(
  "patient",
  `until [ -e ${home}/go ]; do sleep 0.1; done; echo '{"artefact_type":"Report","artefact_payload":"","summary":""}'`,
  "    shutdown: 3m\n",
)}
  mute: { image: machine, prompts: { claim: "Whatever no other agent takes.", execution: "Do it." } }
services:
  orchestrator: { health_port: ${ports.orchestrator} }
  redis: { timeout: 8s, give_up: 9s }
`;

const up = () => sett.sett("up", "--runtime", "process", "--name", sett.name);

const stateOf = (part: string) =>
  readState(join(home, "state/sett/names", `sett-${sett.name}-${part}`));

async function ask(
  port: number,
  path: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "sett-settings-"));
  sett = await SettWorkspace.create();
  sett.env = {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    DOCKER_HOST: `unix://${join(home, "no-engine.sock")}`,
  };
  // Another program may take a port before we do.
  for (let tries = 1; ; tries += 1) {
    ports = { orchestrator: await freePort(), hasty: await freePort() };
    await sett.write({ "sett.yml": settings() });
    await sett.commit("Settings");
    const { code, err } = await up();
    if (code === 0) return;
    if (tries === 5 || !err.includes("is used by another program")) throw new Error(err);
  }
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

test("services are asked at the ports that sett.yml names", async () => {
  expect(await ask(ports.orchestrator, "/healthz")).toMatchObject({ status: 200 });
  expect(await ask(ports.hasty, "/healthz")).toMatchObject({ status: 200 });
});

test("an agent that is for a model alone runs without a command", async () => {
  const { agents } = JSON.parse(await sett.need("status", "--json"));
  expect(agents).toContainEqual(expect.objectContaining({ name: "mute", state: "idle" }));
});

test("a Redis that hangs is noticed after `timeout`, and a service ends after `give_up`, and is restarted", async () => {
  const { pid } = running("redis");
  const before = running("orchestrator").pid;
  const stoppedAt = performance.now();
  process.kill(pid, "SIGSTOP");
  try {
    await waitFor(
      "it to be noticed",
      async () => (await ask(ports.hasty, "/healthz")).status === 503,
      { everyMs: 50 },
    );
    // It would have been noticed before 5 s had passed with the usual 3 s.
    expect(performance.now() - stoppedAt).toBeGreaterThan(7_000);
    // It would have gone on for 60 s, as is usual.
    const isTheSame = (state = stateOf("orchestrator")) =>
      state?.state === "running" && state.child?.pid === before;
    await waitFor("the orchestrator to give up", () => !isTheSame());
  } finally {
    process.kill(pid, "SIGCONT");
  }
  const isWell = async () =>
    (await ask(ports.orchestrator, "/healthz").catch(() => undefined))?.status === 200;
  await waitFor("all to be well again", isWell, { timeoutMs: 120_000 });
}, 300_000);

test("a grant's lease is as long as sett.yml says, for the agent and for the orchestrator", async () => {
  const goal = await sett.forage("hasty");
  await waitFor("it to be at work", async () =>
    (await sett.events(goal)).some(({ type }) => type === "grant_started"),
  );
  const due = await redis("ZRANGE", `sett:${sett.name}:due:lease`, "0", "-1", "WITHSCORES");
  const lease = Number(due[due.findIndex((member) => member.startsWith("lease")) + 1]);
  const [seconds] = await redis("TIME");
  expect(lease / 1_000 - Number(seconds)).toBeGreaterThan(60);
  expect((await ask(ports.orchestrator, "/internal/state")).body).toMatchObject({
    grant_lease_ms: 300_000,
  });
});

test("what runs when a sett goes down has the time that its agent is given, each its own", async () => {
  const goal = await sett.forage("patient");
  await waitFor("it to be at work", async () =>
    (await sett.events(goal)).some(({ type }) => type === "grant_started"),
  );
  const down = sett.need("down", "--name", sett.name);
  try {
    // It would have been at work for 30 s, as is usual.
    await waitFor("the hasty one to end", () => stateOf("agent-hasty")?.state !== "running", {
      timeoutMs: 29_000,
    });
  } finally {
    await writeFile(join(home, "go"), "");
    await down;
  }
  expect(await up()).toMatchObject({ code: 0 });
  const types = async (type: string) =>
    JSON.parse(await sett.need("hoard", "--json", "--type", type)).length;
  expect([await types("Report"), await types("ToolExecutionFailure")]).toEqual([1, 1]);
}, 300_000);

function running(part: string): { pid: number } {
  const state = stateOf(part);
  if (state?.state !== "running" || state.child === undefined)
    throw new Error(`${part} does not run.`);
  return state.child;
}

/** The lines of the answer. */
async function redis(...words: string[]): Promise<string[]> {
  const [{ redis_port }] = JSON.parse(await sett.need("list", "--json"));
  const specs = new Bun.Glob("*/spec.json").scan({
    cwd: join(home, "state/sett/processes"),
    absolute: true,
  });
  const found = (await Array.fromAsync(specs, (path) => Bun.file(path).json())).find(
    (one) => one.name === `sett-${sett.name}-redis`,
  );
  const env = { ...process.env, REDISCLI_AUTH: found.env.REDISCLI_AUTH };
  return (await Bun.$`redis-cli -p ${redis_port} ${words}`.env(env).text()).trim().split("\n");
}
