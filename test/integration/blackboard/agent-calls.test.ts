// One call of an agent does not keep Redis from all others for long, whatever the agent sends: each
// function, and each command that could.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { createClient } from "redis";
import { maxmemoryScript } from "../../../apps/cli/services/redis-memory.ts";
import { redisSettings } from "../../../apps/cli/services/redis-settings.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { keysOf } from "../../../lib/blackboard/records/keys.ts";
import { accessOf } from "../../../lib/blackboard/redis/access.ts";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { type FunctionName, functionTable } from "../../../lib/blackboard/redis/function-table.ts";
import { type ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { commitOf, openClaim, queued, user } from "../../support/blackboard/scene.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { derived } from "../../support/records/lineage.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";

setDefaultTimeout(600_000);

/** The time of Redis' thread for one call. What is kept out here takes seconds. */
const maxMs = 1_000;

const mebibyte = 1024 ** 2;
const instance = InstanceName.parse("busy");
const keys = keysOf(instance);
const hostile = agentName("hostile");
const role = { role: "agent", agent: hostile } as const;
/** The limits of a machine of 24 GiB, where connections may hold 3 GiB together. */
const names = ["maxmemory", "maxmemory_clients", "maxmemory_answer"];
const script = `${maxmemoryScript(24 * 1024 * mebibyte)}; echo ${names.map((one) => `$${one}`).join(" ")}`;
const values = execFileSync("sh", ["-c", script], { encoding: "utf8" }).trim().split(" ");
const settings = redisSettings.map((line) =>
  line.replaceAll(/\$(\w+)/g, (_, name: string) => values[names.indexOf(name)] ?? ""),
);
const many = (count: number, word: string) => Array.from({ length: count }, () => word);

let [server, board, library]: [RedisServer, Blackboard, string] = [
  undefined as never,
  undefined as never,
  "",
];
/**
 * One artefact of 1 MiB, 500 of 60 KB without a summary, and a claim about one that was made of
 * them, queued for the agent.
 */
let [large, reports, claim]: [string, string[], string] = ["", [], ""];

beforeAll(async () => {
  server = await startRedisServer({
    password: "secret",
    hasUsers: true,
    settings: settings.filter((line) => !line.startsWith("save")),
  });
  await prepareUsers({ url: server.url, instance, giveUpMs: patient.giveUpMs }, [
    { user: role, password: "a-password" },
  ]);
  board = await connectBlackboard({ url: server.url, instance, ...patient });
  library = /sett_[0-9a-f]{12}/.exec(await server.cli("FUNCTION", "LIST"))?.[0] ?? "";
  await board.registerAgents([sampleAgent("hostile")], user, { exact: true });
  const goal = sampleArtefact({ payload: "x".repeat(mebibyte) });
  const all = Array.from({ length: 500 }, () => derived([goal], { payload: "y".repeat(60_000) }));
  for (const artefact of [goal, ...all]) await board.createArtefact(artefact, user);
  [large, reports] = [goal.id, all.map(({ id }) => id)];
  const target = derived(all);
  await board.createArtefact(target, user);
  const opened = await openClaim(board, ["hostile"], {
    artefact_id: target.id,
    goal_id: target.goal_id,
  });
  claim = opened.claim.id;
  const set = { status: "pending_exclusive", bidding: "closed" } as const;
  const { outcome } = await board.commitClaim(
    commitOf(opened.claim.id, opened.epoch, 0, { set, grants: [queued("hostile")] }),
  );
  expect(outcome).toBe("committed");
});

afterAll(async () => {
  await board[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

type Called = { ms: number; reply: unknown };

/** The answer to the agent, or the error, and how long Redis worked on it. */
async function calledByAgent(words: readonly string[]): Promise<Called> {
  const socket = { reconnectStrategy: false } as const;
  const client = createClient({
    ...unhurried,
    url: asUser(server.url, role, "a-password"),
    socket,
  });
  client.on("error", () => undefined);
  await client.connect();
  const before = await processorMs();
  // What a channel brings is no answer to its command, so that the next one's answer is waited
  // for as well.
  const answers = [client.sendCommand([...words]), client.ping()].map((answer) =>
    answer.catch(String),
  );
  const reply: unknown = await Promise.race(answers);
  client.destroy();
  return { reply, ms: (await processorMs()) - before };
}

/**
 * What the thread that answers has used of a processor: other programs, which use this machine too,
 * do not count.
 */
async function processorMs(): Promise<number> {
  const info = await server.cli("INFO", "cpu");
  const seconds = ["user", "sys"].map((kind) =>
    Number(new RegExp(`^used_cpu_${kind}_main_thread:([\\d.]+)`, "m").exec(info)?.[1]),
  );
  return seconds.reduce((sum, each) => sum + each * 1_000, 0);
}

const reading = (name: FunctionName, ...words: string[]) => [
  "FCALL_RO",
  `${library}_${name}`,
  "1",
  keys.probe,
  keys.prefix,
  "nonce",
  ...words,
];

describe("what an agent reads by functions, with ids and numbers of its own choice", () => {
  const numbers = "1e300";

  test("heads of one large artefact, again and again", async () => {
    const { ms, reply } = await calledByAgent(reading("readHeads", "500", ...many(500, large)));
    expect(reply).toContain("One artefact is named twice.");
    expect(ms).toBeLessThan(maxMs);
    expect(
      (await calledByAgent(reading("readHeads", "100000", ...many(100_000, large)))).ms,
    ).toBeLessThan(maxMs);
  });

  test("heads of many artefacts that are not small", async () => {
    const { ms, reply } = await calledByAgent(reading("readHeads", "500", ...reports));
    expect(reply).toHaveLength(1 + 500 * 15);
    expect(ms).toBeLessThan(maxMs);
  });

  test.each([
    ["readContext", () => [large, numbers, numbers, "500", ...reports, "500", ...reports], "heads"],
    [
      "readContext",
      () => [large, numbers, numbers, "100000", ...many(100_000, large), "0"],
      "apart",
    ],
    ["readContext", () => [large, numbers, numbers, "0", "1000", ...many(1_000, large)], "heads"],
  ] as const)("a context by %s", async (name, words, form) => {
    const { ms, reply } = await calledByAgent(reading(name, ...words()));
    expect(reply).toHaveProperty("0", form);
    expect(ms).toBeLessThan(maxMs);
  });

  test("the work of its own grant, which has a large context", async () => {
    const stored = [keys.probe, keys.agentTaken(hostile), keys.mailOut(hostile)];
    const call = ["FCALL", `${library}_beginWork`, "3", ...stored, keys.prefix, "nonce"];
    const words = [claim, hostile, "run", "id", "1", "{", "}", numbers, numbers];
    const { ms, reply } = await calledByAgent([...call, ...words]);
    expect(reply).toEqual(["apart"]);
    expect(ms).toBeLessThan(maxMs);
  });

  test("its own mail", async () => {
    for (let count = 0; count < 500; count++)
      await board.sendMail(hostile, { id: String(count), text: "x".repeat(60_000) });
    const call = [
      "FCALL_RO",
      `${library}_readMail`,
      "2",
      keys.probe,
      keys.mailOut(hostile),
      keys.prefix,
      "nonce",
    ];
    const { ms, reply } = await calledByAgent([...call, "0-0", numbers, numbers, numbers]);
    expect((reply as string[]).length).toBeLessThanOrEqual(3 * 50);
    expect(ms).toBeLessThan(maxMs);
    await server.cli("DEL", keys.mailOut(hostile));
  });
});

describe("every function, with very many words", () => {
  const own = [keys.agentTaken(hostile), keys.mailOut(hostile), keys.probe];

  // In a hash of its own it may say that it leads: a function of the leader then goes on, to the
  // first key that is not the agent's.
  beforeAll(async () => {
    for (const field of ["epoch", "nonce"])
      await calledByAgent(["HSETNX", keys.agentTaken(hostile), field, "1"]);
  });

  test.each(Object.keys(functionTable) as FunctionName[])("%s", async (name) => {
    const stored = [
      keys.probe,
      ...Object.keys(functionTable[name].keys).map((_, place) => own[place % own.length] ?? ""),
    ];
    // FCALL_RO refuses what may write before it runs, and does what only reads as FCALL does.
    for (const word of isNight ? ["1", "30000", large] : ["30000"]) {
      const words = [
        `${library}_${name}`,
        String(stored.length),
        ...stored,
        keys.prefix,
        "1",
        ...many(60_000, word),
      ];
      const { ms } = await calledByAgent(["FCALL", ...words]);
      expect(ms).toBeLessThan(maxMs);
    }
  });
});

/**
 * Each command that the agent's user may send, with as many words and as much to read as it can.
 */
function widestCalls(): Record<string, string[][]> {
  const count = 100_000;
  const [taken, grants, asked] = [
    keys.agentTaken(hostile),
    keys.agentGrants(hostile),
    keys.agentAsked(hostile),
  ];
  const fields = many(count, "version");
  const streams = [keys.announcements, keys.mailIn(hostile), keys.mailOut(hostile)];
  const probes = many(count, keys.probe);
  return {
    fcall_ro: [
      ["FCALL_RO", `${library}_readHeads`, String(count), ...probes, keys.prefix, "nonce", "0"],
    ],
    fcall: [["FCALL", `${library}_takeGrant`, String(count), ...probes, keys.prefix, "nonce"]],
    get: [["GET", keys.agentRegistration(hostile)]],
    hexists: [["HEXISTS", keys.artefact(large), "payload"]],
    hget: [["HGET", keys.artefact(large), "payload"]],
    hgetall: [keys.artefact(large), keys.grants(claim as ClaimId), taken].map((key) => [
      "HGETALL",
      key,
    ]),
    hmget: [keys.artefact(large), taken].map((key) => ["HMGET", key, ...fields]),
    hstrlen: [["HSTRLEN", keys.artefact(large), "payload"]],
    hvals: [keys.artefact(large), taken].map((key) => ["HVALS", key]),
    zrange: [["ZRANGE", asked, "0", "-1"]],
    subscribe: [["SUBSCRIBE", ...many(count, keys.announcements)]],
    unsubscribe: [["UNSUBSCRIBE", ...many(count, keys.announcements)]],
    xrange: streams.map((key) => ["XRANGE", key, "-", "+"]),
    xrevrange: streams.map((key) => ["XREVRANGE", key, "+", "-"]),
    hdel: [["HDEL", taken, ...fields]],
    hsetnx: [["HSETNX", taken, "field", "x".repeat(1_000_000)]],
    set: [["SET", keys.agentStatus(hostile), "x".repeat(1_000_000)]],
    xadd: [["XADD", keys.mailOut(hostile), "*", ...fields]],
    blmpop: [["BLMPOP", "0.01", String(count), ...many(count, grants), "LEFT"]],
    lpop: [["LPOP", grants, "1000000"]],
    "info|persistence": [["INFO", "persistence"]],
  };
}

describe("commands", () => {
  nightly(
    "each that an agent may send is short, in a mailbox and beside notes that are as large as it likes",
    async () => {
      const add = (key: string, entries: number, words: string) =>
        server.cli(
          "EVAL",
          "for i = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 're', i, 'text', ARGV[2]) end",
          "1",
          key,
          String(entries),
          words,
        );
      await add(keys.announcements, 10_000, "x".repeat(100));
      await add(keys.mailIn(hostile), 1_100, "x".repeat(100));
      await add(keys.mailOut(hostile), 500, "x".repeat(60_000));
      const notes = "for i = 1, 300000 do redis.call('HSET', KEYS[1], i, '') end";
      await server.cli("EVAL", notes, "1", keys.agentTaken(hostile));
      const { commands, only } = accessOf(role, instance);
      const calls = widestCalls();
      expect(Object.keys(calls).toSorted()).toEqual(
        [...new Set([...commands, ...Object.keys(only)])].toSorted(),
      );
      const times: [string, number][] = [];
      for (const words of Object.values(calls).flat())
        times.push([`${words[0]} ${words[1]}`, (await calledByAgent(words)).ms]);
      expect(times.filter(([, ms]) => ms >= maxMs)).toEqual([]);
      await server.cli("DEL", keys.mailOut(hostile), keys.agentTaken(hostile));
    },
  );

  test("it may not read streams again and again in one command", async () => {
    const words = ["XREAD", "STREAMS", ...many(300, keys.announcements), ...many(300, "0")];
    const { ms, reply } = await calledByAgent(words);
    expect(String(reply)).toContain("NOPERM");
    expect(ms).toBeLessThan(maxMs);
  });

  test("one that asks for much in one answer ends its own connection, and Redis has no more memory than before", async () => {
    const used = async () =>
      Number(/used_memory:(\d+)/.exec(await server.cli("INFO", "memory"))?.[1]);
    const peak = async () =>
      Number(/used_memory_peak:(\d+)/.exec(await server.cli("INFO", "memory"))?.[1]);
    await server.cli("CONFIG", "RESETSTAT");
    const before = await used();
    const { ms, reply } = await calledByAgent([
      "HMGET",
      keys.artefact(large),
      ...many(1_000, "payload"),
    ]);
    expect(String(reply)).toContain("closed");
    expect(await peak()).toBeLessThan(before + 300 * mebibyte);
    expect(ms).toBeLessThan(maxMs);
  });
});
