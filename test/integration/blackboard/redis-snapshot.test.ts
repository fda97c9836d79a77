// Shows that a snapshot has all that Redis had acknowledged, while Redis goes on.
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";
import { snapshotOf } from "../../../lib/blackboard/redis/snapshot.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { waitFor } from "../../support/wait-for.ts";

const never = new AbortController().signal;

/** Redis reads the snapshot as the base of its append-only file. */
async function writeBase(url: string, folder: string): Promise<void> {
  const files = join(folder, "appendonlydir");
  await mkdir(files, { recursive: true });
  await using file = await open(join(files, "appendonly.aof.2.base.rdb"), "w");
  for await (const chunk of snapshotOf(url, never)) await file.writeFile(chunk);
  const list = "file appendonly.aof.2.base.rdb seq 2 type b\n";
  await writeFile(join(files, "appendonly.aof.manifest"), list);
}

test("a snapshot that is taken while Redis is written to has what was acknowledged before, functions too", async () => {
  await using server = await startRedisServer({ password: 'a "secret"' });
  const client = createClient({ ...unhurried, url: server.url });
  await client.connect();
  const code = "#!lua name=of_test\nredis.register_function('answer', function() return 42 end)";
  await client.sendCommand(["FUNCTION", "LOAD", code]);
  // More than a socket takes at once, and nothing that could be compressed.
  const values = Array.from({ length: 64 }, () => crypto.getRandomValues(new Uint8Array(65_536)));
  for (const [at, value] of values.entries())
    await client.set(`value:${at}`, Buffer.from(value).toString("base64"));
  const going = new AbortController();
  const writing = (async () => {
    for (let at = 0; !going.signal.aborted; at++) await client.rPush("later", String(at));
  })();
  const folder = await mkdtemp(join(tmpdir(), "sett-snapshot-"));
  await waitFor("it to be written to", async () => (await client.lLen("later")) > 0);
  const before = await client.lLen("later");
  await writeBase(server.url, folder);
  going.abort();
  await writing;
  await using copy = await startRedisServer({ folder });
  const other = createClient({ ...unhurried, url: copy.url });
  await other.connect();
  for (const [at, value] of values.entries())
    expect(await other.get(`value:${at}`)).toBe(Buffer.from(value).toString("base64"));
  const later = await other.lRange("later", 0, -1);
  expect(later.length).toBeGreaterThanOrEqual(before);
  expect(later).toEqual(later.map((_, at) => String(at)));
  expect(Number(await other.sendCommand(["FCALL", "answer", "0"]))).toBe(42);
  await waitFor("Redis to have no replica", async () =>
    (await client.info("replication")).includes("connected_slaves:0"),
  );
  client.destroy();
  other.destroy();
  await rm(folder, { recursive: true });
});

test("a refusal, an interruption and a Redis that is not there are errors", async () => {
  await using server = await startRedisServer({ password: "secret" });
  const codeOf = async (url: string, signal = never) => {
    try {
      for await (const _ of snapshotOf(url, signal));
    } catch (error) {
      return error instanceof SettError ? [error.code, error.message] : error;
    }
    return "it was sent";
  };
  const wrong = server.url.replace("secret", "other");
  expect(await codeOf(wrong)).toEqual(["redis-unreachable", expect.stringContaining("WRONGPASS")]);
  expect(await codeOf(server.url, AbortSignal.abort())).toEqual(["interrupted", "Interrupted."]);
  await server.stop();
  expect(await codeOf(server.url)).toEqual(["redis-unreachable", expect.any(String)]);
});
