// A real sett whose parts have users of their own in Redis. Its parts are processes, which get the
// same plan as containers.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { nightly } from "../support/nightly.ts";
import { floodWithConnections } from "../support/redis/connection-flood.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const echo = answering(
  "echo",
  { artefact_type: "Echo", artefact_payload: "heard", summary: "heard" },
  "    bids: [{ on: GoalDefined, bid: exclusive }]\n",
);
/** It is asked for its bid, because it has no rules. */
const external = "  writer:\n    external: true\n    on_missing_bid: ignore\n";
const head = "version: '1.0'\nlimits: { bid_deadline: 1s }\nagents:\n";

let at: ProcessSett;

beforeAll(async () => {
  at = await ProcessSett.create(`${head}${echo}${external}`);
  await at.up();
});

afterAll(() => at[Symbol.asyncDispose]());

const environmentOf = (part: string) => readSpec(at.placeOf(part))?.env ?? {};

/** Redis as its owner sees it. */
async function owner(...words: string[]): Promise<string> {
  const { SETT_REDIS_PORT: port = "", REDISCLI_AUTH = "" } = environmentOf("redis");
  return (
    await $`redis-cli -p ${port} ${words}`.env({ ...at.environment, REDISCLI_AUTH }).text()
  ).trim();
}

async function as(url: string, ...words: string[]): Promise<string> {
  return (
    await $`redis-cli -u ${url} --no-auth-warning ${words} 2>&1`
      .env(at.environment)
      .nothrow()
      .text()
  ).trim();
}

const users = async () => (await owner("ACL", "USERS")).split("\n").sort();

test("each part has its own user, and no other password is in its environment", async () => {
  expect(await users()).toEqual([
    "agent-echo",
    "agent-writer",
    "default",
    "orchestrator",
    "person",
  ]);
  const parts = {
    "agent-echo": environmentOf("agent-echo"),
    orchestrator: environmentOf("orchestrator"),
  };
  const passwords = [
    environmentOf("redis").REDISCLI_AUTH ?? "",
    ...Object.values(parts).map(passwordIn),
  ];
  expect(new Set(passwords).size).toBe(3);
  for (const [name, env] of Object.entries(parts)) {
    expect(new URL(env.REDIS_URL ?? "").username).toBe(name);
    for (const other of passwords)
      if (other !== passwordIn(env)) expect(JSON.stringify(env)).not.toContain(other);
  }
});

const passwordIn = ({ REDIS_URL = "" }: Record<string, string>) => new URL(REDIS_URL).password;

test("every program works under its user: a goal is settled, and Redis has refused nothing", async () => {
  await at.need("forage", "--watch", "--goal", "hello");
  expect(JSON.parse(await at.need("status", "--json")).goals).toMatchObject([{ state: "settled" }]);
  expect(await owner("ACL", "LOG")).toBe("");
  expect(await owner("CLIENT", "LIST")).not.toMatch(/user=default .*cmd=(?:fcall|blmpop|xread)/);
});

test("Redis has the limits that keep one agent from starving the others", async () => {
  expect(await owner("CONFIG", "GET", "proto-max-bulk-len")).toEndWith(`\n${64 * 1024 ** 2}`);
  expect(await owner("CONFIG", "GET", "client-query-buffer-limit")).toEndWith(
    `\n${80 * 1024 ** 2}`,
  );
  const [data = 0, clients = 0] = (
    await Promise.all(
      ["maxmemory", "maxmemory-clients"].map((name) => owner("CONFIG", "GET", name)),
    )
  ).map((text) => Number(text.split("\n")[1]));
  expect(clients).toBe(Math.max(Math.floor(data / 4), 96 * 1024 ** 2));
});

nightly(
  "an agent that opens hundreds of connections loses them, on record, and the work of others goes on",
  async () => {
    using flood = await floodWithConnections(environmentOf("agent-echo").REDIS_URL ?? "", 600);
    // The last ones may have come when those before had been ended already.
    await waitFor("the end of the flood", () => flood.open <= 100);
    const events = () =>
      at.need("watch", "--no-follow", "--output", "jsonl", "--type", "connections_ended");
    const event = JSON.parse(await waitFor("the event", events));
    expect(event).toMatchObject({ agent: "echo", data: { user: "agent-echo", limit: 500 } });
    await at.need("forage", "--watch", "--goal", "hello again");
    expect(await owner("ACL", "LOG")).toBe("");
  },
);

test("an agent's user is refused what is not an agent's", async () => {
  const url = environmentOf("agent-echo").REDIS_URL ?? "";
  const prefix = `sett:${at.name}:`;
  const refused = [
    ...[
      ["CONFIG", "GET", "*"],
      ["ACL", "LIST"],
      ["FUNCTION", "LIST"],
      ["FLUSHALL"],
      ["KEYS", "*"],
      ["MONITOR"],
      ["SCAN", "0"],
    ],
    ...[
      ["EVAL", "return 1", "0"],
      ["SCRIPT", "FLUSH"],
      ["CLIENT", "LIST"],
      ["SHUTDOWN"],
      ["REPLICAOF", "NO", "ONE"],
    ],
    ...[
      ["HSET", `${prefix}agents`, "echo", "{}"],
      ["HGETALL", `${prefix}agents`],
      ["HGETALL", `${prefix}agents:expected`],
      ["GET", `${prefix}agent:writer:registration`],
      ["SET", `${prefix}agent:echo:registration`, "{}"],
      ["SET", `${prefix}agent:writer:status`, "{}"],
      ["BLMPOP", "0.1", "1", `${prefix}agent:writer:grants`, "LEFT"],
    ],
    ...[
      ["HGET", `${prefix}goal:00000000-0000-4000-8000-000000000000:budget`, "x"],
      ["DEL", `${prefix}events`],
    ],
    ...[
      ["SET", "another:key", "x"],
      ["SUBSCRIBE", `${prefix}events`],
    ],
  ];
  for (const words of refused)
    expect([words, await as(url, ...words)]).toEqual([words, expect.stringContaining("NOPERM")]);
  await owner("ACL", "LOG", "RESET");
});

nightly(
  "an external agent learns from agent-env how to connect, and no other agent does",
  async () => {
    const { REDIS_URL = "", ...env } = JSON.parse(await at.need("agent-env", "writer", "--json"));
    expect(env).toEqual({ SETT_INSTANCE_NAME: at.name, SETT_AGENT_NAME: "writer" });
    expect(await as(REDIS_URL, "ACL", "WHOAMI")).toContain("NOPERM");
    expect(
      await as(REDIS_URL, "XREVRANGE", `sett:${at.name}:claims`, "+", "-", "COUNT", "1"),
    ).toContain('"type":');
    expect(await at.need("agent-env", "writer")).toContain(`REDIS_URL=${REDIS_URL}\n`);
    const { code, err } = await at.sett("agent-env", "echo");
    expect(code).toBe(2);
    expect(err).toContain("There is no external agent echo.");
  },
);

nightly("a new agent gets a user and a removed one loses it, while Redis goes on", async () => {
  const redis = at.processOf("redis");
  const { REDIS_URL: writer = "" } = JSON.parse(await at.need("agent-env", "writer", "--json"));
  await at.write(`${head}${echo}${echo.replace("echo:", "second:")}`);
  await at.up();
  expect(at.processOf("redis")).toEqual(redis);
  expect(await users()).toEqual([
    "agent-echo",
    "agent-second",
    "default",
    "orchestrator",
    "person",
  ]);
  expect(await as(writer, "GET", `sett:${at.name}:probe`)).toContain("WRONGPASS");
  const second = environmentOf("agent-second").REDIS_URL ?? "";
  expect(await as(second, "GET", `sett:${at.name}:agent:second:registration`)).toContain(
    '"name":"second"',
  );
});

nightly(
  "the users are in a file on Redis' volume, without passwords, and outlast down and up",
  async () => {
    await at.need("down", "--name", at.name);
    const file = await readFile(
      join(at.state, "volumes", `sett-${at.name}-blackboard`, "users.acl"),
      "utf8",
    ).catch(() => "");
    expect(file).toContain("user agent-second on ");
    expect(file).not.toContain(" >");
    await at.up();
    expect(await users()).toEqual([
      "agent-echo",
      "agent-second",
      "default",
      "orchestrator",
      "person",
    ]);
    await at.need("forage", "--watch", "--goal", "again");
    expect(await owner("ACL", "LOG")).toBe("");
  },
);
