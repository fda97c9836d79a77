// A command that opens hundreds of connections to Redis, and what the orchestrator makes of it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createConnection } from "node:net";
import { join } from "node:path";
import { ConnectionWatch } from "../../../apps/orchestrator/mail/connection-watch.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { events } from "../../support/blackboard/scene.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { floodWithConnections } from "../../support/redis/connection-flood.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { leaderDeps } from "../../support/world/deps.ts";

setDefaultTimeout(300_000);

const hostile: RedisUser = { role: "agent", agent: agentName("hostile") };
const honest: RedisUser = { role: "agent", agent: agentName("honest") };
const orchestrator: RedisUser = { role: "orchestrator" };

/** As the containers of agents reach Redis: its address is the same for all of them. */
let socket: { folder: string; path: string };
let server: RedisServer;

beforeAll(async () => {
  const folder = await mkdtemp("/tmp/sett-socket-");
  socket = { folder, path: join(folder, "redis.sock") };
  server = await startRedisServer({
    password: "secret",
    hasUsers: true,
    settings: ["slowlog-log-slower-than 2000", `unixsocket ${socket.path}`],
  });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(socket.folder, { recursive: true });
});

async function createScene(name: string) {
  const instance = InstanceName.parse(name);
  const users = [orchestrator, hostile, honest].map((user) => ({ user, password: "a-password" }));
  await prepareUsers({ url: server.url, instance, giveUpMs: patient.giveUpMs }, users);
  const board = await connectBlackboard({
    url: asUser(server.url, orchestrator, "a-password"),
    instance,
    ...patient,
  });
  const leader = await board.acquireLeaderLease({
    holder: "test",
    leaseMs: 600_000,
    restarted: true,
  });
  if (leader.outcome !== "held") throw new Error("The leader lease is not free.");
  let nowMs = 0;
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(0),
  );
  const clock = { now: () => new Date(nowMs), passedMs: () => nowMs };
  const watch = (epoch: number) => new ConnectionWatch(leaderDeps(epoch, { board, log, clock }));
  const own = watch(leader.epoch);
  return {
    board,
    lines,
    pass: (ms: number) => {
      nowMs += ms;
    },
    tick: () => own.runOnce(),
    tickOf: (epoch: number) => watch(epoch).runOnce(),
    flood: (count: number) =>
      floodWithConnections(asUser(server.url, hostile, "a-password"), count),
    [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
  };
}

nightly(
  "a flood ends within a tick, on record once, and again when it comes back after a calm",
  async () => {
    await using scene = await createScene("once");
    const ended = async () =>
      (await events(scene.board, "connections_ended")).map(({ actor, agent, data }) => ({
        actor,
        agent,
        data,
      }));
    const wave = async (count: number) => {
      using flood = await scene.flood(count);
      await scene.tick();
      await waitFor("the end of the flood", () => flood.open === 0);
    };
    await wave(510);
    const first = {
      actor: "orchestrator:1",
      agent: "hostile",
      data: { user: "agent-hostile", connections: 510, limit: 500 },
    };
    expect(await ended()).toEqual([first] as never);
    for (let waves = 0; waves < 3; waves++) {
      scene.pass(50_000);
      await wave(520);
    }
    expect(await ended()).toHaveLength(1);
    scene.pass(60_000);
    await wave(530);
    expect(await ended()).toEqual([
      first,
      { ...first, data: { ...first.data, connections: 530 } },
    ] as never);
    expect(scene.lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", user: "agent-hostile", connections: 510 },
      { level: "warn", user: "agent-hostile", connections: 530 },
    ]);
  },
);

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

/** A connection that sends bytes which are made once: a client would be slower than Redis. */
async function connectRaw(url: string, path?: string) {
  const { hostname, port, username, password } = new URL(url);
  const socket = path === undefined ? createConnection(Number(port), hostname) : connect(path);
  let isOpen = true;
  let [missing, wake] = [0, () => {}];
  socket.on("error", () => undefined);
  socket.on("data", ({ length }) => {
    missing -= length;
    if (missing <= 0) wake();
  });
  socket.on("close", () => {
    isOpen = false;
    wake();
  });
  /** Resolves with an answer of so many bytes, or at the end of the connection. */
  const send = (command: string | Buffer, bytes = 1) =>
    new Promise<void>((resolve) => {
      [missing, wake] = [bytes, resolve];
      if (isOpen) socket.write(command);
      else resolve();
    });
  await send(`AUTH ${username || "default"} ${password}\r\n`);
  return { send, isOpen: () => isOpen, [Symbol.dispose]: () => socket.destroy() };
}

const encoded = (words: readonly string[]) =>
  words.map((word) => `$${word.length}\r\n${word}\r\n`).join("");

test("an agent that keeps Redis busy with slow commands loses its connections, on record, and no other user one", async () => {
  await using scene = await createScene("busy");
  using agent = await connectRaw(asUser(server.url, hostile, "a-password"));
  using owner = await connectRaw(server.url);
  await scene.tick();
  const busy =
    "local t = redis.call('TIME'); repeat local n = redis.call('TIME') until (n[1] - t[1]) * 1e6 + n[2] - t[2] > 30000";
  for (let calls = 0; calls < 40; calls++)
    await owner.send(`*3\r\n${encoded(["EVAL", busy, "0"])}`);
  await scene.tick();
  expect([agent.isOpen(), owner.isOpen()]).toEqual([true, true]);
  const { command, bytes } = await slowRead("busy");
  // Many in one piece: Redis then has the next one as soon as one has ended, however busy the
  // machine is.
  const batch = 10;
  while (agent.isOpen()) {
    await agent.send(command.repeat(batch), batch * bytes);
    await scene.tick();
  }
  expect(owner.isOpen()).toBe(true);
  const [event] = await events(scene.board, "connections_ended");
  expect(event).toMatchObject({ agent: "hostile", data: { user: "agent-hostile" } });
  expect(Number(event?.data?.ms)).toBeGreaterThanOrEqual(500);
});

nightly("so does one whose commands are few and long, as soon as they take a second", async () => {
  await using scene = await createScene("long");
  using agent = await connectRaw(asUser(server.url, hostile, "a-password"));
  using second = await connectRaw(asUser(server.url, hostile, "a-password"));
  const words = 1_400_000;
  const names = encoded(["XADD", "sett:long:agent:hostile:out", "*"]);
  const command = Buffer.from(`*${3 + words}\r\n${names}${encoded(["v"]).repeat(words)}`);
  await scene.tick();
  while (agent.isOpen() && second.isOpen()) {
    await Promise.all([agent.send(command), second.send(command)]);
    await scene.tick();
  }
  const [event] = await events(scene.board, "connections_ended");
  expect(event).toMatchObject({ agent: "hostile", data: { user: "agent-hostile" } });
  expect(Number(event?.data?.calls)).toBeLessThan(20);
  expect(Number(event?.data?.ms)).toBeGreaterThanOrEqual(1_000);
});

/** A command that takes Redis tens of milliseconds, and reads a key of all agents. */
async function slowRead(instance: string) {
  const [names, grants] = [200_000, `sett:${instance}:grants:${crypto.randomUUID()}`];
  const fill = "for i = 1, ARGV[1] do redis.call('HSET', KEYS[1], i, '') end";
  await server.cli("EVAL", fill, "1", grants, String(names));
  // An answer begins with more bytes than that, and the next command may come before its end.
  return { command: `*2\r\n${encoded(["HGETALL", grants])}`, bytes: names };
}

nightly(
  "of the agents on one socket, the one that keeps Redis busy is found, and no other loses a connection",
  async () => {
    await using scene = await createScene("socket");
    const url = (user: RedisUser) => asUser(server.url, user, "a-password");
    using before = await connectRaw(url(honest), socket.path);
    using agent = await connectRaw(url(hostile), socket.path);
    using after = await connectRaw(url(honest), socket.path);
    await scene.tick();
    const { command, bytes } = await slowRead("socket");
    const flooding = (async () => {
      while (agent.isOpen()) await agent.send(command, bytes);
    })();
    while (agent.isOpen()) await scene.tick();
    await flooding;
    expect([before.isOpen(), after.isOpen()]).toEqual([true, true]);
    const ended = await events(scene.board, "connections_ended");
    expect(ended).toMatchObject([{ agent: "hostile", data: { user: "agent-hostile" } }]);
  },
);

nightly.each(isNight ? ["address", "socket"] : ["socket"])(
  "an agent that connects anew for each slow command is found, by its %s",
  async (way) => {
    const name = `anew-${way}`;
    await using scene = await createScene(name);
    const url = (user: RedisUser) => asUser(server.url, user, "a-password");
    const path = way === "socket" ? socket.path : undefined;
    using other = await connectRaw(url(honest), path);
    await scene.tick();
    const { command, bytes } = await slowRead(name);
    let isFound = false;
    const flooding = (async () => {
      while (!isFound) {
        using one = await connectRaw(url(hostile), path);
        await one.send(command, bytes);
      }
    })();
    const ended = () => events(scene.board, "connections_ended");
    while ((await ended()).length === 0) await scene.tick();
    isFound = true;
    await flooding;
    expect(other.isOpen()).toBe(true);
    expect(await ended()).toMatchObject([{ agent: "hostile", data: { user: "agent-hostile" } }]);
  },
);
