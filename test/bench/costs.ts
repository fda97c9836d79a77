// What Redis and processes cost: bytes of the append-only file, and time of the processors.
import { readdir, readFile } from "node:fs/promises";
import type { RedisServer } from "../support/redis/redis-server.ts";

type Server = Pick<RedisServer, "cli">;

/** Bytes that the append-only file grows by while `work` runs. It is not rewritten meanwhile. */
export async function bytesWritten(redis: Server, work: () => Promise<unknown>): Promise<number> {
  await redis.cli("CONFIG", "SET", "auto-aof-rewrite-percentage", "0");
  const before = await figureOf(redis, "persistence", "aof_current_size");
  await work();
  return (await figureOf(redis, "persistence", "aof_current_size")) - before;
}

export async function pidOf(redis: Server): Promise<number> {
  return figureOf(redis, "server", "process_id");
}

/** How often each command was called so far, also by functions. */
export async function commandsOf(redis: Server): Promise<Map<string, number>> {
  const lines = (await redis.cli("INFO", "commandstats")).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, command = "", calls]) => [command, Number(calls)]));
}

async function figureOf(redis: Server, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(await redis.cli("INFO", section))?.[1]);
}

/** Milliseconds of processor that the processes take a second, over so many seconds. */
export async function processorMsPerSecond(pids: readonly number[], seconds: number): Promise<number> {
  const before = await processorMs(pids);
  const began = performance.now();
  await Bun.sleep(seconds * 1_000);
  return ((await processorMs(pids)) - before) / ((performance.now() - began) / 1_000);
}

/** Of all their threads: user and system time, in nanoseconds, where `stat` has hundredths of a second. */
export async function processorMs(pids: readonly number[]): Promise<number> {
  let total = 0;
  for (const pid of pids)
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      // A thread may end meanwhile.
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0");
      total += Number(text.split(" ")[0]) / 1e6;
    }
  return total;
}
