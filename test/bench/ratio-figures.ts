// Measures the parts of the ratios (ratios.ts): each part measures Sett and its counterpart in
// turn, on one Redis, warm.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startRedisServer } from "../support/redis/redis-server.ts";
import { password, startTlsServer } from "../support/redis/tls-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { BullmqSide } from "./bullmq-side.ts";
import { bytesWritten, pidOf, processorMsPerSecond } from "./costs.ts";
import { median } from "./figures.ts";
import { startProcess } from "./processes.ts";
import { type Clan, rivals, rivalsAndSleeper, SettSide, threePhases } from "./sett-side.ts";
import { bareStartsPerSecond } from "./started-tool.ts";

/** How much is measured. */
export type Amount = {
  goals: number;
  claims: number;
  rounds: number;
  settleSeconds: number;
  idleSeconds: number;
  crowd: number;
  waiting: number;
};

export const whole: Amount = {
  goals: 500,
  claims: 5_000,
  rounds: 5,
  settleSeconds: 150,
  idleSeconds: 20,
  crowd: 1_000,
  waiting: 100_000,
};
export const quick: Amount = {
  goals: 40,
  claims: 500,
  rounds: 2,
  settleSeconds: 2,
  idleSeconds: 4,
  crowd: 200,
  waiting: 5_000,
};

export type Figures = Record<string, number>;

/**
 * Three agents that have worked, and rest. What follows a start and a load for some minutes is no
 * rest yet: code is compiled, and garbage collected.
 */
export async function measureRest({ settleSeconds, idleSeconds }: Amount): Promise<Figures> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis);
  await sett.throughput(500);
  await Bun.sleep(settleSeconds * 1_000);
  return {
    idle_ms_per_second: await processorMsPerSecond(
      [...sett.orchestratorPids, await pidOf(redis)],
      idleSeconds,
    ),
  };
}

/** Three agents beside BullMQ; and a hundred agents, of which one works, beside the three. */
export async function measureRivals({ goals, claims, rounds }: Amount): Promise<Figures> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis);
  await using bullmq = await BullmqSide.start(redis);
  await sett.throughput(claims);
  await bullmq.throughput(claims);
  const { goalMs, jobMs } = await latencies(
    goals,
    async () => (await sett.latency()).toToolMs,
    bullmq,
  );
  const claimRates: number[] = [];
  const jobRates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    claimRates.push(await sett.throughput(claims));
    jobRates.push(await bullmq.throughput(claims));
  }
  const bytes = await bytesWritten(redis, () => sett.throughput(claims));
  const hundred: Clan = Object.fromEntries(
    Array.from(
      { length: 100 },
      (_, index) => [`agent-${index}`, index === 0 ? "exclusive" : "ignore"] as const,
    ),
  );
  await using many = await SettSide.start(redis, hundred, { sharedProcess: true });
  const some = Math.ceil(claims / 6);
  await many.throughput(some);
  const byThree: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const three = await sett.throughput(claims);
    byThree.push((await many.throughput(some)) / three);
  }
  return {
    goal_ms: goalMs,
    job_ms: jobMs,
    claims_per_job: ratioOf(claimRates, jobRates),
    claims_per_second: median(claimRates),
    aof_kb_3_agents: bytes / claims / 1_024,
    claims_100_by_3_agents: median(byThree),
  };
}

/** A claim through all three phases, with five grants, beside BullMQ. */
export async function measurePhases({ goals, claims, rounds }: Amount): Promise<Figures> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis, threePhases);
  await using bullmq = await BullmqSide.start(redis);
  const some = Math.ceil(claims / 4);
  await sett.throughput(some);
  await bullmq.throughput(claims);
  const claimRates: number[] = [];
  const jobRates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    claimRates.push(await sett.throughput(some));
    jobRates.push(await bullmq.throughput(claims));
  }
  const { goalMs, jobMs } = await latencies(Math.ceil(goals / 2), () => sett.phaseMs(), bullmq);
  return {
    three_phases_per_job: ratioOf(claimRates, jobRates),
    phase_by_job: goalMs / jobMs,
    phase_ms: goalMs,
  };
}

/**
 * The tool really started: by processes that have just been started, and, when they are warm, again
 * and again by one of three agents.
 */
export async function measureTools({ goals, rounds }: Amount): Promise<Figures> {
  const clan: Clan = { one: "exclusive", two: "ignore", three: "ignore" };
  const first: number[] = [];
  const byBare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using redis = await startRedisServer();
    await using sett = await SettSide.start(redis, clan, { isStarted: true });
    const took: number[] = [];
    for (let goal = 0; goal < 100; goal++) took.push((await sett.latency()).toToolMs);
    first.push(median(took));
    // From here on warm, as everybody else is measured.
    await sett.throughput(3 * goals);
    const bare = await bareStartsPerSecond(goals);
    byBare.push((await sett.throughput(goals)) / bare);
  }
  return { first_goals_ms: median(first), tools_by_bare_starts: median(byBare) };
}

/** Very many agents, and very many claims that wait, beside the same instance before they came. */
export async function measureCrowd({ goals, crowd, waiting }: Amount): Promise<Figures> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis, rivalsAndSleeper);
  await sett.throughput(1_000);
  const latencyMs = async () => {
    const took: number[] = [];
    for (let goal = 0; goal < Math.ceil(goals / 3); goal++)
      took.push((await sett.latency()).toToolMs);
    return median(took);
  };
  const emptyMs = await latencyMs();
  // First, so that only a few agents are asked to bid on what is to wait.
  for (let left = waiting; left > 0; left -= 10_000) await sett.park(Math.min(left, 10_000));
  const waitingMs = await latencyMs();
  await sett.join(crowd);
  await sett.throughput(20);
  const crowdMs = await latencyMs();
  const claims = 30;
  const bytes = await bytesWritten(redis, () => sett.throughput(claims));
  return {
    aof_kb_crowd: bytes / claims / 1_024,
    crowd_by_empty: crowdMs / emptyMs,
    waiting_by_empty: waitingMs / emptyMs,
    empty_ms: emptyMs,
  };
}

/**
 * One instance whose Redis is elsewhere, by the way to it with TLS, beside one at the port and the
 * socket of the same Redis.
 */
export async function measureTls({ goals, claims }: Amount): Promise<Figures> {
  await using folder = await temporaryFolder();
  const [direct, way] = [join(folder.path, "redis.sock"), join(folder.path, "way.sock")];
  const port = await freePort();
  await using tls = await startTlsServer({ settings: [`unixsocket ${direct}`] });
  await using _way = startProcess(
    "apps/orchestrator/main.ts",
    {
      SETT_INSTANCE_NAME: "bench",
      SETT_REDIS_AT: `rediss://127.0.0.1:${tls.tlsPort}`,
      SETT_REDIS_CA: await readFile(tls.ca, "utf8"),
      ...{ SETT_REDIS_PORT: String(port), SETT_REDIS_HOST: "127.0.0.1" },
      ...{ SETT_SOCKET: way, SETT_HEALTH_PORT: "0" },
    },
    ["--redis-way"],
  );
  await waitFor("the way", () => existsSync(way));
  const at = (port: number, socket: string) =>
    SettSide.start({ url: `redis://default:${password}@127.0.0.1:${port}` }, rivals, {
      cubUrl: `redis+unix://default:${password}@localhost${socket}`,
    });
  await using bySocket = await at(tls.server.port, direct);
  await using byTls = await at(port, way);
  for (const side of [bySocket, byTls]) await side.throughput(claims);
  const took: { socket: number[]; tls: number[] } = { socket: [], tls: [] };
  for (let round = 0; round < goals; round++) {
    took.socket.push((await bySocket.latency()).toToolMs);
    took.tls.push((await byTls.latency()).toToolMs);
  }
  const [socketMs, tlsMs] = [median(took.socket), median(took.tls)];
  return {
    redis_by_socket_ms: socketMs,
    redis_by_tls_ms: tlsMs,
    redis_tls_by_socket: tlsMs / socketMs,
  };
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sett-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function latencies(goals: number, one: () => Promise<number>, bullmq: BullmqSide) {
  const goalMs: number[] = [];
  const jobMs: number[] = [];
  for (let round = 0; round < goals; round++) {
    goalMs.push(await one());
    jobMs.push(await bullmq.latency());
  }
  return { goalMs: median(goalMs), jobMs: median(jobMs) };
}

/** The median of the ratios, each of two figures that were measured in turn. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));
}
