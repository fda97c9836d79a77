// A Redis of others that its operators change in place, while a sett works on it: what a person
// sees, and that nothing is lost.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { dirname } from "node:path";
import { signCertificate } from "../support/http/make-certificate.ts";
import { nightly } from "../support/nightly.ts";
import { type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { password, startTlsServer } from "../support/redis/tls-server.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const echo = answering(
  "echo",
  { artefact_type: "Echo", artefact_payload: "heard", summary: "heard" },
  "    bids: [{ on: GoalDefined, bid: exclusive }]\n",
);

let redis: RedisServer;
let sett: ProcessSett;

beforeAll(async () => {
  redis = await startRedisServer({ password, hasUsers: true });
  const { port } = redis;
  sett = await ProcessSett.create(`version: '1.0'
services:
  redis: { url: "redis://127.0.0.1:${port}", secret: redis }
secrets: { redis: { environment: OPS_REDIS } }
agents:
${echo}`);
  sett.env = { OPS_REDIS: password };
  await sett.need("up", "--runtime", "process", "--name", sett.name);
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

const up = () => sett.sett("up", "--name", sett.name);
const goals = async (): Promise<{ id: string; state: string }[]> =>
  JSON.parse(await sett.need("status", "--json")).goals;

/** Each goal is there once, and has come to its end. */
async function allSettled(count: number): Promise<void> {
  await waitFor("the goals to be settled", async () => {
    const found = await goals();
    return found.length === count && found.every(({ state }) => state === "settled");
  });
}

async function findingsOf(subject: string): Promise<Record<string, string>[]> {
  const { out } = await sett.sett("doctor", "--json");
  const { findings } = JSON.parse(out) as { findings: Record<string, string>[] };
  return findings.filter((each) => each.subject === subject && each.level === "problem");
}

nightly(
  "one that becomes a replica says so everywhere, and work goes on when it is none",
  async () => {
    await sett.need("forage", "--goal", "one", "--watch");
    await sett.need("pause");
    const waiting = await sett.need("forage", "--goal", "two");
    await redis.cli("REPLICAOF", "127.0.0.1", "1");
    const refused = await sett.sett("forage", "--goal", "three");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("The goal was not posted: Redis refuses writes: READONLY"),
    });
    expect((await sett.sett("status")).out).toContain("this server is a replica");
    expect(await findingsOf("redis")).toMatchObject([
      { check: "role", found: "a replica of 127.0.0.1:1" },
    ]);
    expect(await up()).toMatchObject({ code: 2, err: expect.stringContaining("is a replica") });
    await redis.cli("REPLICAOF", "NO", "ONE");
    await waitFor("the work to go on", async () => (await sett.sett("resume")).code === 0);
    await allSettled(2);
    expect((await goals()).map(({ id }) => id)).toContain(waiting.trim());
  },
);

nightly(
  "one that begins to remove keys is named before it is full, and `sett up` refuses it",
  async () => {
    await redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
    const line = "Redis removes goals and results when it is full";
    expect((await sett.sett("status")).out).toContain(line);
    expect(await findingsOf("redis")).toMatchObject([{ check: "memory" }]);
    const refused = await up();
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("allkeys-lru") });
    await redis.cli("CONFIG", "SET", "maxmemory-policy", "noeviction");
    await allSettled(2);
    expect((await sett.sett("status")).out).not.toContain(line);
    expect(await up()).toMatchObject({ code: 0 });
  },
);

nightly(
  "another password of its owner concerns `sett up` alone, and says where it is set",
  async () => {
    await redis.cli("ACL", "SETUSER", "default", "resetpass", ">another-password");
    await sett.need("forage", "--goal", "three", "--watch");
    const refused = await up();
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not accept the password.\n  → `services.redis.secret`"),
    });
    sett.env = { OPS_REDIS: "another-password" };
    expect(await up()).toMatchObject({ code: 0 });
    await allSettled(3);
  },
);

nightly(
  "a certificate that is renewed is never noticed, and one that has expired is named until it is renewed",
  async () => {
    await using tls = await startTlsServer();
    const install = async (isExpired: boolean) => {
      const { cert, key } = await signCertificate(dirname(tls.ca), "IP:127.0.0.1", isExpired);
      await tls.server.cli("CONFIG", "SET", "tls-cert-file", cert, "tls-key-file", key);
      // Connections that are open would go on.
      await tls.server.cli("CLIENT", "KILL", "TYPE", "normal");
    };
    const at = `rediss://127.0.0.1:${tls.tlsPort}`;
    await using own = await ProcessSett.create(`version: '1.0'
services: { redis: { url: "${at}", ca: ${tls.ca}, secret: redis } }
secrets: { redis: { environment: OPS_REDIS } }
agents:
${echo}`);
    own.env = { OPS_REDIS: password };
    await own.need("up", "--runtime", "process", "--name", own.name);
    await install(false);
    await own.need("forage", "--goal", "renewed", "--watch");

    await install(true);
    const refused = await own.sett("forage", "--goal", "not posted");
    const sentence = `Redis does not answer at ${at}, by way of sett-${own.name}-redis.`;
    expect(refused.err).toContain(sentence);
    expect(refused.err).toContain("`sett logs redis` say");
    expect(refused.code).toBe(1);
    expect((await own.sett("logs", "redis")).out).toContain("certificate has expired");
    const again = await own.sett("up", "--name", own.name);
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining("certificate has expired"),
    });

    await install(false);
    const post = () => own.sett("forage", "--goal", "after it");
    await waitFor("a goal to be posted", async () => (await post()).code === 0);
    await waitFor("both goals to be settled", async () => {
      const { out, code } = await own.sett("status", "--json");
      const found: { state: string }[] = code === 0 ? JSON.parse(out).goals : [];
      return found.length === 2 && found.every(({ state }) => state === "settled");
    });
  },
);
