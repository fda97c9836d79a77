// Measures what Redis and processes cost: bytes of the append-only file, and processor time.
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
  const lines = (await redis.cli("INFO", "commandstats")).matchAll(
    /^cmdstat_([^:]+):calls=(\d+)/gm,
  );
  return new Map([...lines].map(([, command = "", calls]) => [command, Number(calls)]));
}

async function figureOf(redis: Server, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(await redis.cli("INFO", section))?.[1]);
}

/** Milliseconds of processor that the processes take a second, over so many seconds. */
export async function processorMsPerSecond(
  pids: readonly number[],
  seconds: number,
): Promise<number> {
  const before = await nanosecondsOfThreads(pids);
  const began = performance.now();
  await Bun.sleep(seconds * 1_000);
  const passedSeconds = (performance.now() - began) / 1_000;
  let total = 0;
  // The time of a thread that has ended meanwhile is unknown, and small.
  for (const [thread, taken] of await nanosecondsOfThreads(pids))
    total += taken - (before.get(thread) ?? 0);
  return total / 1e6 / passedSeconds;
}

/**
 * By thread: user and system time. `stat` has hundredths of a second, too little to say what a
 * process at rest takes.
 */
async function nanosecondsOfThreads(pids: readonly number[]): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (const pid of pids)
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "");
      if (text !== "") all.set(thread, Number(text.split(" ")[0]));
    }
  return all;
}

const ticksPerSecond = 100;

/**
 * User and system time of the processes so far, with that of their ended threads: in hundredths of
 * a second.
 */
export async function processorMs(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8")));
  return texts.reduce((total, text) => {
    const [user, system] = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return total + ((Number(user) + Number(system)) * 1_000) / ticksPerSecond;
  }, 0);
}
