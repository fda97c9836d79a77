// Two instances on one Redis see nothing of each other, whichever user of one it is, and end no
// connection but those of their own agents.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { keysOf } from "../../lib/blackboard/records/keys.ts";
import {
  holdsShared,
  prepareUsers,
  removeFromShared,
  takeShared,
} from "../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { type RedisUser, sharedPrefix, userNameOf } from "../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { agentName } from "../support/records/sample.ts";
import { floodWithConnections } from "../support/redis/connection-flood.ts";
import { patient, type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";

const [prey, hostile] = [InstanceName.parse("prey"), InstanceName.parse("prey-agent")];
const agent: Extract<RedisUser, { role: "agent" }> = { role: "agent", agent: agentName("echo") };
const users: RedisUser[] = [
  { role: "orchestrator" },
  { role: "gateway" },
  { role: "notary" },
  { role: "person" },
  agent,
];
let server: RedisServer;

const urlOf = (instance: typeof prey, user: RedisUser) =>
  `redis://${userNameOf(user, sharedPrefix(instance))}:word-of-${instance}@127.0.0.1:${server.port}`;

const connectTo = (instance: typeof prey, user: RedisUser): Promise<Blackboard> =>
  connectBlackboard({ url: urlOf(instance, user), instance, ...patient });

beforeAll(async () => {
  server = await startRedisServer({ password: "of-operations", hasUsers: true });
  for (const instance of [prey, hostile]) {
    const owner = { url: server.url, instance, giveUpMs: patient.giveUpMs };
    // Also where the first answer was lost, and the question is repeated.
    for (const _ of [1, 2]) expect(await takeShared(owner, `id-of-${instance}`)).toBe("new");
    await prepareUsers(
      { ...owner, isShared: true },
      users.map((user) => ({ user, password: `word-of-${instance}` })),
    );
  }
});

afterAll(() => server[Symbol.asyncDispose]());

/** Sends a command as a user of the hostile instance. */
const as = async (user: RedisUser, ...words: string[]): Promise<string> =>
  (
    await $`redis-cli -u ${urlOf(hostile, user)} --no-auth-warning ${words} 2>&1`.nothrow().text()
  ).trim();

test("no user of one may read or write a key of the other, or hear its channels", async () => {
  const keys = keysOf(prey);
  for (const user of users) {
    for (const words of [
      ...[keys.probe, keys.owner, keys.events, keys.gateway, keys.agentStatus(agent.agent)].flatMap(
        (key) => [
          ["GET", key],
          ["SET", key, "x"],
          ["XADD", key, "*", "id", "1"],
          ["HGET", key, "x"],
          ["HSET", key, "x", "y"],
          ["BLMPOP", "0.1", "1", key, "LEFT"],
          ["UNLINK", key],
        ],
      ),
      ...[keys.artefactChannel, keys.claimChannel, keys.announcements].flatMap((channel) => [
        ["SUBSCRIBE", channel],
        ["PUBLISH", channel, "x"],
      ]),
      ...[["KEYS", "*"], ["SCAN", "0"], ["ACL", "LIST"], ["MONITOR"], ["FUNCTION", "LIST"]],
      ["CONFIG", "GET", "*"],
    ])
      expect([user, words, await as(user, ...words)]).toEqual([
        user,
        words,
        expect.stringContaining("NOPERM"),
      ]);
  }
});

test("no function of Sett does for one what it may not do to the other", async () => {
  const library = /sett_[0-9a-f]{12}/.exec(await server.cli("FUNCTION", "LIST"))?.[0] ?? "";
  const own = keysOf(hostile);
  const theirs = keysOf(prey);
  for (const user of users) {
    // The keys of the call are its own; what the function makes of the prefix are the other's.
    const call = [
      "FCALL_RO",
      `${library}_readHeads`,
      "1",
      own.probe,
      theirs.prefix,
      "n",
      "1",
      "id",
    ];
    // The notary may call no function that only reads. Newer servers say it in the second way.
    expect(await as(user, ...call)).toMatch(
      user.role === "notary"
        ? /^NOPERM /
        : /^ERR (?:The user executing the script can't |ACL failure in script: No permissions )/,
    );
  }
});

test("what one does to flooding and slow callers is about its own agents alone", async () => {
  await using orchestrator = await connectTo(hostile, { role: "orchestrator" });
  using flood = await floodWithConnections(urlOf(prey, agent), 40);
  using ofOperations = await floodWithConnections(server.url, 40);
  using own = await floodWithConnections(urlOf(hostile, agent), 40);
  const { ended } = await orchestrator.endConnections(20);
  expect(ended.map(({ user }) => user)).toEqual([userNameOf(agent, sharedPrefix(hostile))]);
  const left = await server.cli("CLIENT", "LIST");
  const countOf = (user: string) => left.split(` user=${user} `).length - 1;
  expect(countOf(userNameOf(agent, sharedPrefix(prey)))).toBe(40);
  expect(countOf("default")).toBeGreaterThanOrEqual(40);
  expect([flood.open, ofOperations.open, own.open > 40]).toEqual([40, 40, false]);
});

test("one is not taken, and not removed, by the id of another", async () => {
  const owner = { url: server.url, instance: prey, giveUpMs: patient.giveUpMs };
  expect(await takeShared(owner, "id-of-a-stranger")).toBe("another's");
  expect(await holdsShared(owner, "id-of-a-stranger")).toBe(false);
  await server.cli("SET", "of-others", "stays");
  const before = [await server.cli("KEYS", "*"), await server.cli("ACL", "USERS")];
  await removeFromShared(owner, "id-of-a-stranger");
  expect([await server.cli("KEYS", "*"), await server.cli("ACL", "USERS")]).toEqual(before);
  await removeFromShared({ ...owner, instance: hostile }, `id-of-${hostile}`);
  expect(await holdsShared(owner, `id-of-${prey}`)).toBe(true);
  const names = (await server.cli("ACL", "USERS")).split("\n");
  expect(names.sort()).toEqual(
    ["default", ...users.map((user) => userNameOf(user, sharedPrefix(prey)))].sort(),
  );
  expect(await server.cli("GET", "of-others")).toBe("stays");
});
