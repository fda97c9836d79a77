// An agent that fills the memory of Redis with its mail, and what the orchestrator makes of it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "redis";
import { MailWatch } from "../../../apps/orchestrator/mail/mail-watch.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { type AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { events, postGoal, user } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { waitFor } from "../../support/wait-for.ts";
import { leaderDeps } from "../../support/world/deps.ts";

const [hostile, coder] = [agentName("hostile"), agentName("coder")];
const orchestrator: RedisUser = { role: "orchestrator" };
const renewal = { holder: "test", leaseMs: 600_000, restarted: false };
const part = "x".repeat(1024 ** 2);

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer({
    password: "secret",
    hasUsers: true,
    settings: ["maxmemory 64mb"],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

type Client = Awaited<ReturnType<typeof connect>>;

async function connect(url: string) {
  const client = createClient({ ...unhurried, url, socket: { reconnectStrategy: false } });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function createScene(name: string) {
  const instance = InstanceName.parse(name);
  const users = [
    orchestrator,
    { role: "agent" as const, agent: hostile },
    { role: "agent" as const, agent: coder },
  ];
  await prepareUsers(
    { url: server.url, instance, giveUpMs: patient.giveUpMs },
    users.map((one) => ({ user: one, password: "a-password" })),
  );
  const owner = await connectBlackboard({ url: server.url, instance, ...patient });
  await owner.registerAgents([sampleAgent("hostile"), sampleAgent("coder")], user, { exact: true });
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
  const watch = (epoch: number) =>
    new MailWatch(
      leaderDeps(epoch, { board, clock: { now: () => new Date(nowMs), passedMs: () => nowMs } }),
    );
  const own = watch(leader.epoch);
  const key = (name: string) => `sett:${instance}:agent:${hostile}:${name}`;
  /** As the agent, until Redis takes no more. */
  const write = async (
    count: number,
    one: (client: Client, number: number) => Promise<unknown>,
  ) => {
    const client = await connect(
      asUser(server.url, { role: "agent", agent: hostile }, "a-password"),
    );
    for (let sent = 0; sent < count; sent += 1) {
      const isFull = await one(client, sent).then(
        () => false,
        () => true,
      );
      if (isFull) break;
    }
    return client;
  };
  const send = (count: number) =>
    write(count, (client, number) =>
      client.xAdd(key("out"), "*", { id: String(number), text: part }),
    );
  return {
    board,
    owner,
    pass: (ms: number) => {
      nowMs += ms;
    },
    tick: () => own.runOnce(),
    tickOf: (epoch: number) => watch(epoch).runOnce(),
    send,
    /** Sends until Redis takes no more; `ended` resolves once its connection was ended. */
    flood: async () => {
      const client = await send(200);
      return { ended: () => waitFor("the end of the connection", () => !client.isOpen) };
    },
    /** Notes down that it has taken what was never granted. */
    note: async (count: number, fields: (number: number) => Record<string, string>) => {
      // One at a time: an agent may write no more in one command.
      const client = await write(count, (connected, number) =>
        Promise.all(
          Object.entries(fields(number)).map(([field, text]) =>
            connected.hSetNX(key("taken"), field, text),
          ),
        ),
      );
      return { ended: () => waitFor("the end of the connection", () => !client.isOpen) };
    },
    notes: async () => Number(await server.cli("HLEN", key("taken"))),
    /** As much as is nearly all of the room. */
    fillWithGoals: async () => {
      for (let isFull = false; !isFull; ) {
        const { usedBytes, limitBytes = 0 } = await board.readMemory();
        isFull = usedBytes > 0.85 * limitBytes;
        await owner.createArtefact(sampleArtefact({ payload: part }), user);
      }
    },
    unread: async (agent: AgentName) =>
      Number(await server.cli("XLEN", `sett:${instance}:agent:${agent}:out`)),
    dropped: async () =>
      (await events(board, "mail_dropped")).map(({ actor, agent, data }) => ({
        actor,
        agent,
        data,
      })),
    [Symbol.asyncDispose]: async () => {
      await server.cli("FLUSHALL");
      await owner[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
    },
  };
}

nightly(
  "the mail that fills Redis is dropped with the connections of its agent, on record once; then others can go on",
  async () => {
    await using scene = await createScene("full");
    await scene.board.sendMail(coder, { id: "honest", text: "short" });
    const wave = async () => {
      const flood = await scene.flood();
      // Where Redis is full, the leader keeps the lead.
      expect(await scene.board.acquireLeaderLease(renewal)).toMatchObject({ epoch: 1 });
      await scene.tick();
      await flood.ended();
      await postGoal(scene.owner);
    };
    await wave();
    const [first] = await scene.dropped();
    expect(first).toMatchObject({ actor: "orchestrator:1", agent: hostile });
    expect(Number(first?.data?.bytes)).toBeGreaterThan(40 * part.length);
    expect(Number(first?.data?.messages)).toBeGreaterThan(40);
    scene.pass(50_000);
    await wave();
    expect(await scene.dropped()).toHaveLength(1);
    scene.pass(60_000);
    await wave();
    expect(await scene.dropped()).toHaveLength(2);
    expect(await scene.unread(coder)).toBe(1);
  },
);

test("so are notes of what an agent has taken, that fill Redis", async () => {
  await using scene = await createScene("notes");
  const flood = await scene.note(200, (number) => ({ [`claim-${number}`]: part }));
  await scene.tick();
  await flood.ended();
  expect(await scene.notes()).toBe(0);
  const [dropped] = await scene.dropped();
  expect(dropped).toMatchObject({ actor: "orchestrator:1", agent: hostile, data: { messages: 0 } });
  expect(Number(dropped?.data?.bytes)).toBeGreaterThan(30 * part.length);
  await postGoal(scene.owner);
});

test("where Redis is nearly full, more notes than any honest agent has are dropped, however small they are", async () => {
  await using scene = await createScene("many-notes");
  await scene.fillWithGoals();
  const many = (number: number) =>
    Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`${number}-${index}`, "1 1 1-1 "]),
    );
  await scene.note(2, many);
  await scene.tick();
  expect(await scene.notes()).toBe(8_000);
  const flood = await scene.note(3, many);
  await scene.tick();
  await flood.ended();
  expect(await scene.notes()).toBe(0);
});

test("nothing is dropped where there is room, nor of an agent that has little", async () => {
  await using scene = await createScene("room");
  await scene.send(4);
  await scene.tick();
  expect(await scene.unread(hostile)).toBe(4);
  await scene.fillWithGoals();
  await scene.tick();
  expect(await scene.unread(hostile)).toBe(4);
  expect(await scene.dropped()).toEqual([]);
});

test("a leader whose epoch is over drops the mail, and records nothing", async () => {
  await using scene = await createScene("fenced");
  const flood = await scene.flood();
  await expect(scene.tickOf(7)).rejects.toBeInstanceOf(Fenced);
  await flood.ended();
  expect(await scene.unread(hostile)).toBe(0);
  expect(await scene.dropped()).toEqual([]);
});
