// A program on the PATH that has the name of Redis is named by what is wrong with it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redisVersion } from "../../../../../apps/cli/instance/redis-version.ts";
import { errorOf } from "../../../../support/error-of.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-redis-version-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function redis(script: string): Promise<string> {
  const program = join(folder, "redis-server");
  await Bun.write(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return program;
}

async function refusal(script: string, limitMs?: number): Promise<string> {
  const program = await redis(script);
  const order = limitMs === undefined ? { program } : { program, limitMs };
  return (await errorOf(redisVersion(order))).message;
}

test("a Redis that is new enough says its version", async () => {
  const program = await redis("echo 'Redis server v=7.0.15 sha=00000000:0 bits=64'");
  expect(await redisVersion({ program })).toBe("7.0.15");
});

test("one that is too old, does not start, or never answers is named so", async () => {
  expect(await refusal("echo 'Redis server v=6.2.1'")).toEndWith(" has version 6.2.1.");
  expect(await refusal("echo 'libjemalloc.so.2: cannot open' >&2; exit 127")).toBe(
    "The redis-server on the PATH does not start: libjemalloc.so.2: cannot open",
  );
  expect(await refusal("trap '' TERM; exec sleep 1000", 100)).toBe(
    "The redis-server on the PATH does not say which version it is.",
  );
  expect((await errorOf(redisVersion({ program: join(folder, "none") }))).message).toBe(
    "There is no redis-server on the PATH.",
  );
});
