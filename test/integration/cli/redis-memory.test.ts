// How much Redis may keep, and what `sett status` says as it fills.
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { maxmemoryScript } from "../../../apps/cli/services/redis-memory.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { writeRefusals } from "../../support/redis/write-refusals.ts";
import { waitFor } from "../../support/wait-for.ts";

async function maxmemoryOf(
  limitBytes: number | undefined,
  variable = "maxmemory",
): Promise<string> {
  const child = spawn("sh", ["-c", `${maxmemoryScript(limitBytes)}\necho "$${variable}"`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [out] = await once(child.stdout, "data");
  return String(out).trim();
}

test("Redis may keep half of its memory, and Redis takes the figure", async () => {
  const machine =
    1024 * Number(/MemTotal:\s+(\d+)/.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]);
  expect(await maxmemoryOf(undefined)).toBe(String(machine / 2));
  expect(await maxmemoryOf(512 * 1024 ** 2)).toBe(String(256 * 1024 ** 2));
  await using server = await startRedisServer();
  await server.cli("CONFIG", "SET", "maxmemory", await maxmemoryOf(undefined));
  expect(await server.cli("CONFIG", "GET", "maxmemory")).toContain(String(machine / 2));
});

test("connections may hold a quarter of that together, and never less than the largest value", async () => {
  const clientsOf = (limitBytes: number) => maxmemoryOf(limitBytes, "maxmemory_clients");
  expect(await clientsOf(2 * 1024 ** 3)).toBe(String(256 * 1024 ** 2));
  expect(await clientsOf(128 * 1024 ** 2)).toBe(String(96 * 1024 ** 2));
});

test("one answer may have 256 MiB of that, however large the machine is", async () => {
  const answerOf = (limitBytes: number) => maxmemoryOf(limitBytes, "maxmemory_answer");
  expect(await answerOf(64 * 1024 ** 3)).toBe(String(256 * 1024 ** 2));
  expect(await answerOf(128 * 1024 ** 2)).toBe(String(96 * 1024 ** 2));
});

nightly(
  "status says that Redis is filling up, then that it is full, and what to do",
  async () => {
    await using at = await Workspace.create();
    const limit = (bytes: number) =>
      at.redis.cli("CONFIG", "SET", "maxmemory", String(Math.floor(bytes)));
    const status = async () => (await at.need("status")).replaceAll(/\s+/g, " ");
    const data = async () => JSON.parse(await at.need("status", "--json")).redis;
    await using board = await at.board();
    await board.createArtefact(sampleArtefact(), "person:Ada");
    expect(await status()).not.toContain("Redis");
    // So much that what comes and goes does not count.
    await at.redis.cli("SETRANGE", "ballast", String(64 * 1024 ** 2), "x");
    const { usedBytes } = await board.readMemory();
    expect(await data()).toEqual({
      used_bytes: expect.any(Number),
      limit_bytes: null,
      refuses_writes: null,
    });

    await limit(1.15 * usedBytes);
    expect(await status()).toMatch(
      /Redis is 8\d % full \(\d+ MiB of \d+ MiB\), and refuses writes when it is full, large results first: make room with `sett prune/,
    );
    await limit(2 * usedBytes);
    expect(await status()).not.toContain("Redis");

    await writeRefusals.OOM.begin(at.redis);
    const text = await status();
    expect(text).toContain(writeRefusals.OOM.says);
    expect(text).toContain(
      "Nothing is lost. Work goes on when Redis accepts writes again: make room with `sett prune --before 30d",
    );
    expect(await data()).toMatchObject({ limit_bytes: 1, refuses_writes: writeRefusals.OOM.says });
    const refused = await at.sett("forage", "--goal", "One more");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("OOM command not allowed");
    await writeRefusals.OOM.end(at.redis);
    await waitFor("writes", () => board.contactProblem() === undefined);
  },
  120_000,
);
