// A real sett, as processes, on a Redis of others in which it may make no users, and whose address
// leads to another server after a failover.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import { type RedisProxy, startRedisProxy } from "../support/redis/redis-proxy.ts";
import { type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { password } from "../support/redis/tls-server.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const agent = (name: string) =>
  answering(
    name,
    { artefact_type: `Heard-${name}`, artefact_payload: "heard", summary: "heard" },
    `    bids: [{ on: GoalDefined, bid: ${name === "echo" ? "exclusive" : "ignore"} }]\n`,
  );

const settings = (...agents: string[]) => `version: '1.0'
services:
  redis: { url: "redis://preparer@127.0.0.1:${new URL(address.url).port}", secret: redis, users: users }
secrets: { redis: { environment: OPS_REDIS }, users: { environment: OPS_USERS } }
agents:
${agents.map(agent).join("")}`;

let [first, second]: RedisServer[] = [];
let address: RedisProxy;
let sett: ProcessSett;

beforeAll(async () => {
  first = await startRedisServer({ password, hasUsers: true });
  second = await startRedisServer({
    ...{ password, hasUsers: true },
    settings: [`replicaof 127.0.0.1 ${first.port}`, `masterauth ${password}`],
  });
  address = await startRedisProxy(first.url);
  sett = await ProcessSett.create(settings("echo"));
  sett.env = { OPS_REDIS: password, OPS_USERS: "0123456789abcdef0123456789abcdef" };
}, 300_000);

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await address?.[Symbol.asyncDispose]();
  for (const server of [first, second]) await server?.[Symbol.asyncDispose]();
});

const servers = () => [first, second].flatMap((server) => server ?? []);
const up = () => sett.sett("up", "--runtime", "process", "--name", sett.name);
const printed = (...options: string[]) =>
  sett.sett("up", "--print-users", "--runtime", "process", "--name", sett.name, ...options);
const nameOf = (user: string) => `sett.${sett.name}.${user}`;

/** Does with the lines what operators do, on both servers: no replica copies users. */
async function makeUsers(): Promise<void> {
  const { out } = await printed();
  for (const server of servers()) {
    const words = ["-p", String(server.port), "-a", password, "--no-auth-warning"];
    const said = await $`redis-cli ${words} < ${Buffer.from(out)}`.text();
    expect(said).toMatch(/^(?:OK\n)+$/);
    await server.cli("ACL", "SAVE");
    await server.cli("ACL", "LOG", "RESET");
  }
}

const goals = async (): Promise<{ state: string }[]> =>
  JSON.parse(await sett.need("status", "--json")).goals;

test("users that are not there are named, before anything is made", async () => {
  const { err } = await printed();
  const rights = /needs these rights, and no others: (.*)/.exec(err)?.[1]?.split(" ") ?? [];
  for (const server of servers())
    await server.cli("ACL", "SETUSER", "preparer", "on", `>${password}`, ...rights);
  const { code, err: refused } = await up();
  expect([code, refused]).toEqual([2, expect.stringContaining("--print-users")]);
  for (const user of ["orchestrator", "person", "agent-echo"])
    expect(refused).toContain(nameOf(user));
  expect(await first?.cli("KEYS", "*")).toBe("");
  expect(sett.stillRunning()).toEqual([]);
});

test("with the users that are printed it works, and its own one may do no more", async () => {
  const { out } = await printed("--json");
  const { out: lines } = await printed();
  for (const user of JSON.parse(out)) {
    expect(user.password).toMatch(/^[0-9a-f]{64}$/);
    expect(lines).not.toContain(user.password);
  }
  await makeUsers();
  expect(await up()).toMatchObject({ code: 0 });
  await sett.need("forage", "--watch", "--goal", "hello");
  for (const server of servers()) expect(await server.cli("ACL", "LOG")).toBe("");
});

test("a replica that takes over behind the address has all, and the work goes on by itself", async () => {
  await sett.need("pause");
  await sett.need("forage", "--goal", "before the failover");
  const offset = async (server: RedisServer | undefined) =>
    /^(?:slave|master)_repl_offset:(\d+)/m.exec(
      (await server?.cli("INFO", "replication")) ?? "",
    )?.[1];
  await waitFor(
    "the replica to have copied all",
    async () => (await offset(first)) === (await offset(second)),
  );
  await first?.kill();
  await second?.cli("REPLICAOF", "NO", "ONE");
  address.moveTo(second?.url ?? "");
  await waitFor("the work to go on", async () => (await sett.sett("resume")).code === 0);
  await waitFor("both goals to be settled", async () => {
    const found = await goals();
    return found.length === 2 && found.every(({ state }) => state === "settled");
  });
  expect(await second?.cli("ACL", "LOG")).toBe("");
});

test("what a replica had not copied when it took over is lost, and the rest goes on", async () => {
  const now = second ?? expect.unreachable();
  await first?.start();
  await first?.cli("REPLICAOF", "127.0.0.1", String(now.port));
  await first?.cli("CONFIG", "SET", "masterauth", password);
  await waitFor("a copy", async () =>
    ((await first?.cli("INFO", "replication")) ?? "").includes("master_link_status:up"),
  );
  await first?.cli("REPLICAOF", "NO", "ONE");
  await sett.need("forage", "--watch", "--goal", "not copied");
  address.moveTo(first?.url ?? "");
  await waitFor("contact", async () => (await sett.sett("status")).code === 0);
  expect((await goals()).length).toBe(2);
  await sett.need("forage", "--watch", "--goal", "after it");
  expect((await goals()).map(({ state }) => state)).toEqual(["settled", "settled", "settled"]);
});

test("a further agent needs its user, and one that leaves is named as still let in", async () => {
  await sett.write(settings("echo", "other"));
  const { code, err } = await up();
  expect([code, err]).toEqual([2, expect.stringContaining(`let in ${nameOf("agent-other")}:`)]);
  await makeUsers();
  expect(await up()).toMatchObject({ code: 0 });
  await sett.write(settings("echo"));
  expect(await up()).toMatchObject({
    code: 0,
    err: expect.stringContaining(`ACL DELUSER ${nameOf("agent-other")}`),
  });
});

test("`down --volumes` removes its keys, and leaves the users to its operators", async () => {
  const { code, err } = await sett.sett("down", "--name", sett.name, "--volumes");
  expect([code, err]).toEqual([0, expect.stringContaining(nameOf("*"))]);
  expect(await first?.cli("KEYS", "sett:*")).toBe("");
  expect(await first?.cli("ACL", "USERS")).toContain(nameOf("person"));
});
