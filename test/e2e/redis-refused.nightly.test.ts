// `sett up` looks at a Redis of others before it makes anything: what is missing there is said,
// with what it means, and nothing is left.
import { expect, test } from "bun:test";
import { type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { password, startTlsServer } from "../support/redis/tls-server.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";

const echo = answering("echo", {}, "    bids: [{ on: GoalDefined, bid: exclusive }]\n");

/** Runs `sett up` with these settings of Redis, and returns what it said. */
async function up(redis: string): Promise<{ code: number; err: string; running: string[] }> {
  const secrets = "secrets: { redis: { environment: OPS_REDIS } }";
  const text = `version: '1.0'\nservices: { redis: { ${redis}, secret: redis } }\n${secrets}\nagents:\n${echo}`;
  await using sett = await ProcessSett.create(text);
  sett.env = { OPS_REDIS: password };
  const { code, err } = await sett.sett("up", "--runtime", "process", "--name", sett.name);
  return { code, err, running: sett.stillRunning() };
}

async function leftIn(server: RedisServer): Promise<string[]> {
  return await Promise.all([
    server.cli("KEYS", "sett*"),
    server.cli("ACL", "USERS"),
    server.cli("FUNCTION", "LIST").catch(() => ""),
  ]);
}

const refusedAs = (code: number, ...sentences: string[]) => ({
  code,
  err: expect.stringMatching(new RegExp(sentences.join("[^]*"))),
  running: [],
});

async function server(...settings: string[]): Promise<RedisServer> {
  return await startRedisServer({ password, hasUsers: true, settings });
}

const plain = ({ port }: RedisServer, user = "") => `url: "redis://${user}127.0.0.1:${port}"`;

test("one that removes keys, and keeps no append-only file: both are said, with the line", async () => {
  await using redis = await server("maxmemory-policy allkeys-lru", "appendonly no");
  expect(await up(plain(redis))).toEqual(
    refusedAs(
      2,
      "sett.yml:2:\\d+ services.redis.url: removes keys when it is full .maxmemory-policy allkeys-lru",
      "services.redis.url: writes no append-only file",
      "Nothing was made",
    ),
  );
  expect(await leftIn(redis)).toEqual(["", "default", ""]);
});

test("a cluster, and a replica that takes no writes", async () => {
  await using cluster = await server("cluster-enabled yes");
  expect(await up(plain(cluster))).toEqual(refusedAs(2, "is a cluster"));
  await using replica = await server(`replicaof 127.0.0.1 ${cluster.port}`);
  expect(await up(plain(replica))).toEqual(refusedAs(2, "is a replica"));
});

test("one whose user may load no functions and make no users", async () => {
  await using redis = await server();
  const rules = ["on", `>${password}`, "~*", "&*", "+@all", "-function", "-acl"];
  await redis.cli("ACL", "SETUSER", "limited", ...rules);
  expect(await up(plain(redis, "limited@"))).toEqual(
    refusedAs(2, "takes no functions.*\\+function", "make no users.*\\+acl"),
  );
  expect((await leftIn(redis))[1]).toBe("default\nlimited");
  await redis.cli("ACL", "SETUSER", "blind", "on", `>${password}`, "+ping");
  expect(await up(plain(redis, "blind@"))).toEqual(refusedAs(1, "allows too little: NOPERM"));
});

test("one that has no functions and makes no users, whatever rights its user has", async () => {
  await using redis = await server("rename-command FUNCTION hidden");
  const refused = await up(plain(redis));
  expect(refused).toEqual(refusedAs(2, "takes no functions.*unknown command 'FUNCTION'"));
  expect(refused.err).not.toContain("+function");
});

test("one whose password changed, one that is away, and one that hangs", async () => {
  await using redis = await server();
  await redis.cli("CONFIG", "SET", "requirepass", "another-password");
  expect(await up(plain(redis))).toEqual(refusedAs(1, "does not accept the password"));
  redis.freeze();
  expect(await up(plain(redis))).toEqual(refusedAs(1, `Redis does not answer at 127.0.0.1:`));
  const { port } = redis;
  await redis.stop();
  expect(await up(`url: "redis://127.0.0.1:${port}"`)).toEqual(
    refusedAs(1, "nothing listens there"),
  );
  expect(await up('url: "redis://no-such-host.invalid"')).toEqual(
    refusedAs(1, "there is no host of this name"),
  );
});

test("one that cannot be trusted: its authority, its name, its time; and one without TLS", async () => {
  await using good = await startTlsServer();
  const url = ({ tlsPort }: { tlsPort: number }) => `url: "rediss://127.0.0.1:${tlsPort}"`;
  const { ca } = good;
  expect(await up(url(good))).toEqual(
    refusedAs(
      1,
      "cannot be trusted: no known authority has signed its certificate",
      "ca: ./ca.pem",
    ),
  );
  await using other = await startTlsServer({ names: "DNS:other.example.org" });
  expect(await up(`${url(other)}, ca: ${other.ca}`)).toEqual(
    refusedAs(1, "its certificate is that of another name"),
  );
  expect(await up(`${url(other)}, ca: ${ca}`)).toEqual(
    refusedAs(1, "authority of `services.redis.ca` has not"),
  );
  for (const settings of [[], ["tls-protocols TLSv1.2"]]) {
    const asking = ["tls-auth-clients yes", ...settings];
    await using strict = await startTlsServer({ settings: asking });
    expect(await up(`${url(strict)}, ca: ${strict.ca}`)).toEqual(
      refusedAs(1, "asks each client for a certificate", "tls-auth-clients optional"),
    );
  }
  await using old = await startTlsServer({ isExpired: true });
  expect(await up(`${url(old)}, ca: ${old.ca}`)).toEqual(
    refusedAs(1, "its certificate has expired"),
  );
  expect(await up(`url: "redis://127.0.0.1:${good.tlsPort}"`)).toEqual(
    refusedAs(1, "`rediss://` is with TLS"),
  );
  expect(await up(`url: "rediss://127.0.0.1:${good.server.port}", ca: ${ca}`)).toEqual(
    refusedAs(1, "does it speak TLS there|does not speak TLS there"),
  );
  expect(await up(`${url(good)}, ca: ./none.pem`)).toEqual(refusedAs(2, "none.pem cannot be read"));
  expect(await up(`${url(good)}, ca: ./sett.yml`)).toEqual(
    refusedAs(2, "has no certificate in PEM"),
  );
});

test("one without a file of users is taken, with a warning of what its restart means", async () => {
  await using redis = await startRedisServer({ password });
  const { code, err } = await up(plain(redis));
  expect([code, err]).toEqual([0, expect.stringContaining("keeps no file of its users")]);
  expect(await leftIn(redis)).toEqual(["", "default", expect.any(String)]);
});
