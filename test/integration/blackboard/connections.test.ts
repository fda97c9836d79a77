// How the orchestrator, with its own rights alone, counts and ends the connections of users that
// have too many.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentName } from "../../support/records/sample.ts";
import { floodWithConnections } from "../../support/redis/connection-flood.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");
const orchestrator: RedisUser = { role: "orchestrator" };
const person: RedisUser = { role: "person" };
const hostile: RedisUser = { role: "agent", agent: agentName("hostile") };
const coder: RedisUser = { role: "agent", agent: agentName("coder") };

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer({ password: "secret", hasUsers: true });
  const users = [orchestrator, person, hostile, coder].map((user) => ({
    user,
    password: "a-password",
  }));
  await prepareUsers({ url: server.url, instance, giveUpMs: patient.giveUpMs }, users);
});

afterAll(() => server[Symbol.asyncDispose]());

const urlOf = (user: RedisUser) => asUser(server.url, user, "a-password");
const connect = (url: string) => connectBlackboard({ url, instance, ...patient });
/** As a command has it that knows no password. */
const withoutUser = () => `redis://127.0.0.1:${server.port}`;

test("an agent with too many connections loses all of them, and no other user one", async () => {
  await using leader = await connect(urlOf(orchestrator));
  await using other = await connect(urlOf(coder));
  using flood = await floodWithConnections(urlOf(hostile), 40);
  using people = await floodWithConnections(urlOf(person), 40);
  using strangers = await floodWithConnections(withoutUser(), 20);
  // Redis may still have one that was closed before.
  await waitFor("the connections", async () => (await leader.countConnections()) === 102);
  expect(await leader.endConnections(40)).toEqual({ ended: [], most: 40 });
  expect((await leader.endConnections(39)).ended).toEqual([
    { user: "agent-hostile", agent: agentName("hostile"), connections: 40 },
  ]);
  await waitFor("the end of the flood", () => flood.open === 0);
  expect([people.open, strangers.open]).toEqual([40, 20]);
  await other.endOfAnnouncements();
  expect([leader.connectionNumber(), other.connectionNumber()]).toEqual([1, 1]);
  expect(await server.cli("ACL", "LOG")).not.toContain("orchestrator");
});

test("connections without a password count together", async () => {
  await using leader = await connect(urlOf(orchestrator));
  using flood = await floodWithConnections(withoutUser(), 40);
  expect((await leader.endConnections(30)).ended).toEqual([
    { user: "default", agent: undefined, connections: 40 },
  ]);
  await waitFor("the end of the flood", () => flood.open === 0);
  expect(leader.connectionNumber()).toBe(1);
});

test("where Redis has no users, every program's connections are of one, and none is ended", async () => {
  await using redis = await startRedisServer();
  await using leader = await connect(redis.url);
  using others = await floodWithConnections(redis.url, 20);
  expect((await leader.endConnections(10)).ended).toEqual([]);
  expect([others.open, leader.connectionNumber()]).toEqual([20, 1]);
});

test("an agent can neither list connections nor end any", async () => {
  await using board = await connect(urlOf(coder));
  expect(await errorOf(board.endConnections(0))).toMatchObject({ code: "blackboard-refused" });
  expect(await errorOf(board.countConnections())).toMatchObject({ code: "blackboard-refused" });
  const kill = ["CLIENT", "KILL", "USER", "orchestrator"];
  expect(await server.cli("--user", "agent-coder", "--pass", "a-password", ...kill)).toContain(
    "NOPERM",
  );
});
