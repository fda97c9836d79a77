// Real setts, as processes, whose blackboards are in one Redis of others, by TLS.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { nightly } from "../support/nightly.ts";
import { password, startTlsServer, type TlsServer } from "../support/redis/tls-server.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const echo = answering(
  "echo",
  { artefact_type: "Echo", artefact_payload: "heard", summary: "heard" },
  "    bids: [{ on: GoalDefined, bid: exclusive }]\n",
);

let redis: TlsServer;
let one: ProcessSett;
let two: ProcessSett;

const settings = (host = "127.0.0.1") =>
  `version: '1.0'
services: { redis: { url: "rediss://${host}:${redis.tlsPort}", ca: ./ca.pem, secret: redis } }
secrets: { redis: { environment: OPS_REDIS } }
agents:
${echo}`;

async function settWith(text: string): Promise<ProcessSett> {
  const sett = await ProcessSett.create(text);
  await copyFile(redis.ca, join(sett.folder, "ca.pem"));
  await $`git add -A && git commit --quiet -m Authority`.cwd(sett.folder);
  sett.env = { OPS_REDIS: password };
  return sett;
}

const environmentOf = (sett: ProcessSett, part: string) => readSpec(sett.placeOf(part))?.env ?? {};

beforeAll(async () => {
  redis = await startTlsServer();
  await redis.server.cli("SET", "of-others", "stays");
  one = await settWith(settings());
  two = await settWith(settings("[::1]"));
  const { code, err } = await one.sett("up", "--runtime", "process", "--name", one.name);
  expect([code, err]).toEqual([0, expect.stringContaining(`rediss://127.0.0.1:${redis.tlsPort}`)]);
}, 300_000);

afterAll(async () => {
  await one?.[Symbol.asyncDispose]();
  await two?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

const keys = async () => (await redis.server.cli("KEYS", "*")).split("\n").sort();
const users = async () => (await redis.server.cli("ACL", "USERS")).split("\n").sort();

async function as(url: string, ...words: string[]): Promise<string> {
  return (
    await $`redis-cli -u ${url} --no-auth-warning ${words} 2>&1`
      .env(one.environment)
      .nothrow()
      .text()
  ).trim();
}

test("a goal is settled, by programs that have users of their own there", async () => {
  await one.need("forage", "--watch", "--goal", "hello");
  expect(JSON.parse(await one.need("status", "--json")).goals).toMatchObject([
    { state: "settled" },
  ]);
  expect(await users()).toEqual(
    ["agent-echo", "orchestrator", "person"]
      .map((user) => `sett.${one.name}.${user}`)
      .concat("default")
      .sort(),
  );
  expect(
    (await keys()).every((key) => key.startsWith(`sett:${one.name}:`) || key === "of-others"),
  ).toBe(true);
  expect(await redis.server.cli("ACL", "LOG")).toBe("");
});

test("the password of that Redis is in no part of the instance", () => {
  for (const part of ["redis", "orchestrator", "agent-echo"])
    expect(JSON.stringify(readSpec(one.placeOf(part)))).not.toContain(password);
});

test("doctor says which Redis it is, and finds nothing wrong with it", async () => {
  const { findings } = JSON.parse((await one.sett("doctor", "--json")).out);
  const version = findings.find(
    ({ subject, check }: Record<string, string>) => subject === "redis" && check === "version",
  );
  expect(version).toMatchObject({
    level: "ok",
    found: expect.stringContaining(`rediss://127.0.0.1:${redis.tlsPort}`),
  });
});

test("a back-up of it is refused: it is one with that Redis", async () => {
  const { code, err } = await one.sett("backup", join(one.root, "backup"), "--name", one.name);
  expect([code, err]).toEqual([1, expect.stringContaining("which is not its own")]);
});

nightly("two instances on one Redis see nothing of each other", async () => {
  await two.up();
  await two.need("forage", "--watch", "--goal", "hello");
  const url = environmentOf(two, "agent-echo").REDIS_URL ?? "";
  const of = (key: string) => `sett:${one.name}:${key}`;
  const library = /sett_[0-9a-f]{12}/.exec(await redis.server.cli("FUNCTION", "LIST"))?.[0] ?? "";
  for (const words of [
    ...["probe", "events", "agents", "owner", "agent:echo:registration"].map((key) => [
      "GET",
      of(key),
    ]),
    ["SET", of("probe"), "x"],
    ["SET", of("agent:echo:status"), "{}"],
    ["XADD", of("agent:echo:out"), "*", "id", "1", "text", "{}"],
    ["SUBSCRIBE", of("artefact_events")],
    ["SUBSCRIBE", of("claims")],
    ["FCALL_RO", `${library}_readHeads`, "1", of("probe"), of(""), "nonce", "0"],
    ["FCALL", `${library}_takeGrant`, "1", of("probe"), of(""), "nonce"],
    ["KEYS", "*"],
    ["SCAN", "0"],
    ["ACL", "LIST"],
    ["CLIENT", "LIST"],
    ["FUNCTION", "LIST"],
    ["GET", "of-others"],
  ])
    expect([words, await as(url, ...words)]).toEqual([words, expect.stringContaining("NOPERM")]);
  const own = environmentOf(one, "agent-echo").REDIS_URL ?? "";
  expect(new URL(own).password).not.toBe(new URL(url).password);
  await redis.server.cli("ACL", "LOG", "RESET");
});

nightly("a name that another sett has there is refused, before anything is made", async () => {
  await using third = await settWith(settings());
  const before = [await keys(), await users()];
  const { code, err } = await third.sett("up", "--runtime", "process", "--name", one.name);
  expect(err).toContain(`has the blackboard of another ${one.name}`);
  expect(code).toBe(1);
  expect([await keys(), await users()]).toEqual(before);
});

nightly(
  "a Redis that is killed and starts again loses nothing: goals that were open are settled",
  async () => {
    await one.need("pause");
    await one.need("forage", "--goal", "before the crash");
    await redis.server.kill();
    await redis.server.start();
    await waitFor("the way to be open again", async () => (await one.sett("resume")).code === 0);
    await waitFor("both goals to be settled", async () => {
      const { code, out } = await one.sett("status", "--json");
      if (code !== 0) return false;
      const { goals } = JSON.parse(out);
      return (
        goals.length === 2 && goals.every(({ state }: { state: string }) => state === "settled")
      );
    });
  },
);

test("after `down` the blackboard is there, and `up` goes on with it", async () => {
  const events = await redis.server.cli("XLEN", `sett:${one.name}:events`);
  await one.need("down", "--name", one.name);
  expect(Number(await redis.server.cli("XLEN", `sett:${one.name}:events`))).toBeGreaterThanOrEqual(
    Number(events),
  );
  await one.up();
  const { goals } = JSON.parse(await one.need("status", "--json"));
  expect(goals.map(({ state }: { state: string }) => state)).toContain("settled");
});

nightly("`down --volumes` removes what is the instance's own, and needs to know how", async () => {
  one.env = {};
  const refused = await one.sett("down", "--name", one.name, "--volumes");
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("OPS_REDIS")]);
  one.env = { OPS_REDIS: password };
  await one.need("down", "--name", one.name, "--volumes");
  expect((await keys()).filter((key) => key.startsWith(`sett:${one.name}:`))).toEqual([]);
  expect((await users()).filter((user) => user.includes(one.name))).toEqual([]);
  expect(await redis.server.cli("GET", "of-others")).toBe("stays");
  await two.need("forage", "--watch", "--goal", "still here");
});
