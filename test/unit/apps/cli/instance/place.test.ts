// How the command line finds the Redis of an instance.
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { findRedisPlace, redisUrlsOf } from "../../../../../apps/cli/instance/place.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";
import { errorOf } from "../../../../support/error-of.ts";

const workspace = "/home/ada/doors";

test("a Redis that has stopped or is gone is repaired by up; the logs of one that is gone are not what to look at", async () => {
  const { containers, ...rest } = instanceParts("demo", workspace, "containers");
  const without = containers.filter(({ labels }) => labels.component !== "redis");
  const error = await errorOf(() => redisUrlsOf({ ...rest, containers: without }));
  expect(error.message).toContain("has no container");
  expect(error.hint).not.toContain("sett logs");
  const stopped = containers.map((one) => ({
    ...one,
    state: { state: "exited", exitCode: 0, endedAt: "" } as const,
  }));
  const hint = (await errorOf(() => redisUrlsOf({ ...rest, containers: stopped }))).hint;
  expect(hint).toStartWith("`sett up --name demo` starts it again");
  expect(hint).toContain("sett logs redis --name demo");
  expect(hint).not.toContain("sett down");
  const problem = { sentence: "no node has room for it", isFinal: false };
  const waiting = stopped.map((one) => ({ ...one, state: { state: "created" } as const, problem }));
  const said = await errorOf(() => redisUrlsOf({ ...rest, containers: waiting }));
  expect(said.message).toEndWith("does not run: no node has room for it.");
  expect(error.hint).toBe("`sett up --name demo` starts it again, with the kept blackboard.");
});

test("people have a user of their own, and its owner's password only loads functions", () => {
  const { containers, ...rest } = instanceParts("demo", workspace, "containers");
  const withRedis = (env: Record<string, string>) => ({
    ...rest,
    containers: containers.map((one) =>
      one.labels.component === "redis"
        ? { ...one, env, ports: [{ port: 6379, hostPort: 40_001 }] }
        : one,
    ),
  });
  const owner = "redis://:secret@127.0.0.1:40001";
  const { redisUrl, ownerUrl, redisAt } = redisUrlsOf(withRedis({ REDISCLI_AUTH: "secret" }));
  expect(redisAt).toBe(undefined);
  expect(ownerUrl).toBe(owner);
  expect(redisUrl).toMatch(/^redis:\/\/person:[0-9a-f]{64}@127\.0\.0\.1:40001$/);
});

test("a Redis to which a port of this machine only leads is named by the way to it", () => {
  const { containers, ...rest } = instanceParts("demo", workspace, "containers");
  const ports = [{ port: 6379, hostPort: 40_001, ledBy: "the Docker Engine at ssh://build" }];
  const redisAt = (over: Partial<(typeof containers)[number]>) => {
    const changed = containers.map((one) =>
      one.labels.component === "redis" ? { ...one, ports, ...over } : one,
    );
    return redisUrlsOf({ ...rest, containers: changed }).redisAt;
  };
  const led = "sett-demo-redis, which is reached through the Docker Engine at ssh://build";
  expect(redisAt({})).toBe(led);
  const env = { SETT_REDIS_AT: "rediss://redis.example.org" };
  expect(redisAt({ env })).toBe(`rediss://redis.example.org, by way of ${led}`);
  expect(redisAt({ env, ports: [{ port: 6379, hostPort: 40_001 }] })).toBe(
    "rediss://redis.example.org, by way of sett-demo-redis",
  );
});

test("the variables of `sett agent-env` are for the agent's program, and a person's command says so", async () => {
  const at = async (user: string) => {
    const REDIS_URL = `redis://${user}:3f0c@127.0.0.1:49153`;
    const env = { REDIS_URL, SETT_INSTANCE_NAME: "demo", SETT_AGENT_NAME: "approver" };
    return await findRedisPlace({ ...fakeShell(), env, cwd: tmpdir() }, undefined);
  };
  for (const user of ["agent-approver", "sett.demo.agent-approver"])
    expect(await errorOf(() => at(user))).toMatchObject({
      code: "usage",
      message: expect.stringContaining("that of the agent approver"),
      hint: expect.stringContaining("`unset REDIS_URL`"),
    });
  for (const user of ["", "person", "sett.demo.person", "ada"])
    expect(await at(user)).toMatchObject({ instance: "demo" });
});
