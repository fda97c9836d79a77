// A real sett in containers whose blackboard is in a Redis of others, by TLS.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { password, startTlsServer, type TlsServer } from "../support/redis/tls-server.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

/** An address of this machine that containers reach, too. */
const address =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one !== undefined && one.family === "IPv4" && !one.internal)?.address ?? "";

let redis: TlsServer;
let sett: SettWorkspace;

beforeAll(async () => {
  redis = await startTlsServer({ names: `IP:${address}`, settings: [`bind 127.0.0.1 ${address}`] });
  const top = `services: { redis: { url: "rediss://${address}:${redis.tlsPort}", ca: ./ca.pem, secret: redis } }\nsecrets: { redis: { environment: OPS_REDIS } }\n`;
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "echo",
      `jq -n '{artefact_type: "Echo", artefact_payload: "heard", summary: "heard"}'`,
    ),
    "sett.yml": settYml({ echo: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }, top),
  });
  await copyFile(redis.ca, join(sett.folder, "ca.pem"));
  await sett.commit("Name a Redis");
  sett.env = { OPS_REDIS: password };
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

const part = (name: string) => `sett-${sett.name}-${name}`;
const inspect = async (name: string) => (await $`docker inspect ${part(name)}`.json())[0];

test("a goal is settled, with no Redis of its own", async () => {
  await sett.need("forage", "--watch", "--goal", "hello");
  expect((await inspect("redis")).Config.Image).toContain("orchestrator");
  expect(await redis.server.cli("EXISTS", `sett:${sett.name}:events`)).toBe("1");
  expect(await redis.server.cli("ACL", "LOG")).toBe("");
});

test("an agent has no network, and no container the password of that Redis", async () => {
  expect((await inspect("agent-echo")).HostConfig.NetworkMode).toBe("none");
  for (const name of ["redis", "orchestrator", "agent-echo"])
    expect(JSON.stringify(await inspect(name))).not.toContain(password);
  const { Env } = (await inspect("agent-echo")).Config;
  expect(JSON.stringify(Env)).not.toContain(String(redis.tlsPort));
});

test("a Redis that starts again is reached again, and the way says that it was away", async () => {
  await redis.server.kill();
  const check = async () =>
    (await $`docker exec ${part("redis")} /orchestrator --healthcheck`.nothrow().quiet()).exitCode;
  expect(await check()).toBe(1);
  await redis.server.start();
  expect(await check()).toBe(0);
  await waitFor(
    "the instance to work again",
    async () => (await sett.sett("forage", "--watch", "--goal", "again")).code === 0,
  );
  const { stdout, stderr } = await $`docker logs ${part("redis")}`.quiet();
  expect(`${stdout}${stderr}`).toContain("Redis cannot be reached");
});

test("`down --volumes` removes its keys there; an own Redis leaves its volumes to the way", async () => {
  const down = ["down", "--name", sett.name, "--timeout", "1s"];
  await sett.need(...down, "--volumes");
  expect(await redis.server.cli("KEYS", `sett:${sett.name}:*`)).toBe("");
  await sett.write({
    "sett.yml": settYml({ echo: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
  await sett.commit("Have an own Redis");
  await sett.up();
  await sett.need(...down);
  await sett.git("revert", "--no-edit", "HEAD");
  await sett.up();
  await sett.need("forage", "--watch", "--goal", "there");
  expect(await redis.server.cli("EXISTS", `sett:${sett.name}:events`)).toBe("1");
});
