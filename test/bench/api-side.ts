// Measures how fast the API answers beside a history of many artefacts, and what two hundred
// watching clients cost the others.
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { build, hostBinaries } from "../../.ci/build.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { EventClient } from "../support/api/event-client.ts";
import { newGoalId } from "../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { waitFor } from "../support/wait-for.ts";
import { median, now, percentile } from "./figures.ts";
import { fillHistory } from "./reading-side.ts";
import { SettSide } from "./sett-side.ts";

const watchers = 200;
const past = InstanceName.parse("past");

type ApiProcess = AsyncDisposable & {
  url: string;
  pid: number;
  startMs: number;
  tokens: { reader: string };
};

/** Milliseconds, megabytes, and a ratio. `artefacts`: how many the instance has. */
export async function apiFigures(
  artefacts: number,
  claims: number,
): Promise<Record<string, number>> {
  await build(hostBinaries);
  return { ...(await readingFigures(artefacts)), ...(await watchingFigures(claims)) };
}

export async function readingFigures(artefacts: number): Promise<Record<string, number>> {
  await using redis = await startRedisServer();
  await fillHistory(redis, artefacts);
  await using api = await startApi(redis, past);
  const idle = await memoryOf(api.pid);
  await using board = await connectBlackboard({ url: redis.url, instance: past });
  const goals = await board.listGoals();
  // Each a goal that was not read before: nothing of it is in memory.
  const ask = (path: string) => timed(api, path);
  for (const goal of goals.slice(0, 50)) await ask(`goals/${goal}`);
  const cold: Record<string, number[]> = {
    goal: [],
    graph: [],
    goals_page: [],
    artefacts_page: [],
    events_page: [],
  };
  for (const goal of goals.slice(50, 250)) {
    cold.goal?.push(await ask(`goals/${goal}`));
    cold.graph?.push(await ask(`goals/${goal}/graph`));
  }
  let cursor = "";
  for (let page = 0; page < 50; page += 1) {
    const began = performance.now();
    const { next } = (await read(api, `artefacts?limit=50${cursor}`)) as { next: string };
    cold.artefacts_page?.push(performance.now() - began);
    cursor = `&cursor=${next}`;
  }
  for (let page = 0; page < 50; page += 1) cold.goals_page?.push(await ask("goals"));
  for (let page = 0; page < 50; page += 1) cold.events_page?.push(await ask("events?before=$"));
  const known: number[] = [];
  for (let count = 0; count < 300; count += 1) known.push(await ask(`goals/${goals[300]}`));
  const figures = Object.fromEntries(
    Object.entries(cold).map(([name, samples]) => [`api_${name}_ms_p50`, median(samples)]),
  );
  const event = await eventMs(api, board);
  return {
    ...figures,
    api_goal_known_ms_p50: median(known),
    api_goal_known_ms_p99: percentile(known, 0.99),
    ...event,
    api_start_ms: api.startMs,
    idle_api_process_mb: idle.anonymous,
    idle_api_process_resident_mb: idle.resident,
    used_api_process_mb: (await memoryOf(api.pid)).anonymous,
  };
}

/** From the commit of an event until a client has it. */
async function eventMs(
  api: ApiProcess,
  board: { logEvent: Awaited<ReturnType<typeof connectBlackboard>>["logEvent"] },
) {
  await using client = new EventClient(api);
  await waitFor("the stream", () => client.status === 200);
  const samples: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    const { promise, resolve } = Promise.withResolvers<number>();
    client.onEvent = () => resolve(now());
    const began = now();
    await board.logEvent({ type: "cancel_requested", data: { round } }, "person:bench");
    samples.push((await promise) - began);
  }
  return {
    api_event_to_client_ms_p50: median(samples),
    api_event_to_client_ms_p99: percentile(samples, 0.99),
  };
}

/** Claims a second without and with clients that watch one goal each, in turn on one Redis. */
export async function watchingFigures(claims: number): Promise<Record<string, number>> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis);
  await sett.throughput(claims);
  const without: number[] = [];
  const watched: number[] = [];
  let readers = 0;
  for (let round = 0; round < 5; round += 1) {
    without.push(await sett.throughput(claims));
    const before = await connections(redis);
    await using api = await startApi(redis, sett.board.instance);
    const goal = (await sett.board.listGoals({ from: 0, count: 1 }))[0] ?? newGoalId();
    const clients = Array.from({ length: watchers }, () => new EventClient(api, `?goal=${goal}`));
    await waitFor("the streams", () => clients.every(({ status }) => status === 200), {
      happened: async () => clients.map(({ status }) => status).join(" "),
    });
    readers = (await connections(redis)) - before;
    watched.push(await sett.throughput(claims));
    for (const client of clients) await client[Symbol.asyncDispose]();
  }
  return {
    api_watched_claims_ratio: median(watched) / median(without),
    api_connections_to_redis: readers,
  };
}

async function connections({ cli }: RedisServer): Promise<number> {
  return (await cli("CLIENT", "LIST")).trim().split("\n").length;
}

async function timed(api: ApiProcess, path: string): Promise<number> {
  const began = performance.now();
  await read(api, path);
  return performance.now() - began;
}

async function read({ url, tokens }: ApiProcess, path: string): Promise<unknown> {
  const answer = await fetch(`${url}/v1/${path}`, {
    headers: { authorization: `Bearer ${tokens.reader}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

/** The program as it ships. */
async function startApi(
  { url }: Pick<RedisServer, "url">,
  instance: InstanceName,
): Promise<ApiProcess> {
  const token = randomBytes(24).toString("base64url");
  const sha256 = createHash("sha256").update(token).digest("hex");
  const began = performance.now();
  const child = Bun.spawn([join(root, "bin/sett"), "service", "api"], {
    env: {
      PATH: process.env.PATH ?? "",
      ...{
        REDIS_URL: url,
        SETT_INSTANCE_NAME: instance,
        SETT_HEALTH_PORT: "0",
        SETT_HEALTH_HOST: "127.0.0.1",
      },
      ...{ SETT_API_PORT: "0", SETT_API_HOST: "127.0.0.1", SETT_API_RATE: "1000000" },
      SETT_API_TOKENS: JSON.stringify([{ name: "reader", sha256, may: ["read"] }]),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: Readable.fromWeb(child.stdout as never) })) {
    const { msg, port } = JSON.parse(line) as { msg: string; port: number };
    if (msg !== "API started") continue;
    return {
      url: `http://127.0.0.1:${port}`,
      pid: child.pid,
      startMs: performance.now() - began,
      tokens: { reader: token },
      async [Symbol.asyncDispose]() {
        child.kill();
        await child.exited;
      },
    };
  }
  throw new Error("The API has ended.");
}

/**
 * Returns the anonymous and the resident memory; resident includes the program's own mapped file.
 */
async function memoryOf(pid: number): Promise<{ anonymous: number; resident: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { anonymous: megabytes("RssAnon"), resident: megabytes("VmRSS") };
}
