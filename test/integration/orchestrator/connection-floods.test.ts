// A command that opens hundreds of connections to Redis, and what the orchestrator makes of it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createClient } from "redis";
import { ConnectionWatch } from "../../../apps/orchestrator/connection-watch.ts";
import { Fenced } from "../../../lib/blackboard/leading.ts";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { events } from "../../support/blackboard/scene.ts";
import { agentName, sampleArtefact } from "../../support/records/sample.ts";
import { floodWithConnections } from "../../support/redis/connection-flood.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { leaderDeps } from "../../support/world/deps.ts";

setDefaultTimeout(60_000);

const hostile: RedisUser = { role: "agent", agent: agentName("hostile") };
const orchestrator: RedisUser = { role: "orchestrator" };

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer({ password: "secret", hasUsers: true, settings: ["slowlog-log-slower-than 2000"] });
});

afterAll(() => server[Symbol.asyncDispose]());

async function createScene(name: string) {
  const instance = InstanceName.parse(name);
  const users = [orchestrator, hostile].map((user) => ({ user, password: "a-password" }));
  await prepareUsers({ url: server.url, instance, giveUpMs: patient.giveUpMs }, users);
  const board = await connectBlackboard({ url: asUser(server.url, orchestrator, "a-password"), instance, ...patient });
  const leader = await board.acquireLeaderLease({ holder: "test", leaseMs: 600_000, restarted: true });
  if (leader.outcome !== "held") throw new Error("The leader lease is not free.");
  let nowMs = 0;
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(0),
  );
  const clock = { now: () => new Date(nowMs), passedMs: () => nowMs };
  const watch = (epoch: number) => new ConnectionWatch(leaderDeps(epoch, { board, log, clock }), { calls: 10, ms: 20 });
  const own = watch(leader.epoch);
  return {
    board,
    lines,
    pass: (ms: number) => {
      nowMs += ms;
    },
    tick: () => own.tick(),
    tickOf: (epoch: number) => watch(epoch).tick(),
    flood: (count: number) => floodWithConnections(asUser(server.url, hostile, "a-password"), count),
    [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
  };
}

test("a flood ends within a tick, on record once, and again when it comes back after a calm", async () => {
  await using scene = await createScene("once");
  const ended = async () =>
    (await events(scene.board, "connections_ended")).map(({ actor, agent, data }) => ({ actor, agent, data }));
  const wave = async (count: number) => {
    using flood = await scene.flood(count);
    await scene.tick();
    await waitFor("the end of the flood", () => flood.open === 0);
  };
  await wave(510);
  const first = { actor: "orchestrator:1", agent: "hostile", data: { user: "agent-hostile", connections: 510, limit: 500 } };
  expect(await ended()).toEqual([first] as never);
  for (let waves = 0; waves < 3; waves++) {
    scene.pass(50_000);
    await wave(520);
  }
  expect(await ended()).toHaveLength(1);
  scene.pass(60_000);
  await wave(530);
  expect(await ended()).toEqual([first, { ...first, data: { ...first.data, connections: 530 } }] as never);
  expect(scene.lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", user: "agent-hostile", connections: 510 },
    { level: "warn", user: "agent-hostile", connections: 530 },
  ]);
});

test("an agent that has as many as it may keeps them, however many others there are", async () => {
  await using scene = await createScene("within");
  using agents = await scene.flood(500);
  await scene.tick();
  using strangers = await floodWithConnections(`redis://127.0.0.1:${server.port}`, 300);
  await scene.tick();
  await scene.tick();
  expect([agents.open, strangers.open]).toEqual([500, 300]);
  expect(await events(scene.board, "connections_ended")).toEqual([]);
});

test("a flood that was looked at while it grew ends when it has grown", async () => {
  await using scene = await createScene("growing");
  using strangers = await floodWithConnections(`redis://127.0.0.1:${server.port}`, 300);
  using first = await scene.flood(490);
  await scene.tick();
  using more = await scene.flood(110);
  await scene.tick();
  await waitFor("the end of the flood", () => first.open + more.open === 0);
  expect(strangers.open).toBe(300);
});

test("a leader whose epoch is over ends the flood, and records nothing", async () => {
  await using scene = await createScene("fenced");
  using flood = await scene.flood(510);
  await expect(scene.tickOf(7)).rejects.toBeInstanceOf(Fenced);
  await waitFor("the end of the flood", () => flood.open === 0);
  expect(await events(scene.board, "connections_ended")).toEqual([]);
});

test("an agent that keeps Redis busy with slow commands loses its connections, on record, and no other user one", async () => {
  await using scene = await createScene("busy");
  const large = sampleArtefact({ payload: "x".repeat(1024 ** 2) });
  await scene.board.createArtefact(large, "person:test");
  const words = ["HMGET", `sett:busy:artifact:${large.id}`, ...Array.from({ length: 60 }, () => "payload")];
  const connect = async (url: string) => {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  const [agent, owner] = [await connect(asUser(server.url, hostile, "a-password")), await connect(server.url)];
  const work = async (client: typeof agent) => {
    for (let count = 0; count < 30; count++) await client.sendCommand(words);
  };
  await scene.tick();
  await work(owner);
  await scene.tick();
  expect([agent.isOpen, owner.isOpen]).toEqual([true, true]);
  await work(agent);
  await scene.tick();
  await waitFor("the end of its connection", () => !agent.isOpen);
  expect(owner.isOpen).toBe(true);
  const [event] = await events(scene.board, "connections_ended");
  expect(event).toMatchObject({ agent: "hostile", data: { user: "agent-hostile", calls: expect.any(Number) } });
  expect(Number(event?.data?.ms)).toBeGreaterThanOrEqual(20);
  owner.destroy();
});
