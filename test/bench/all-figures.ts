// Runs `just bench`: it measures Sett beside BullMQ on one Redis in one run, then the bare
// protocol, reading a long history, and containers. The last line is JSON.
//
// --goals N goals for the latency (1000) --claims N claims for the throughput (20000) --past N
// artefacts that hoard, status and watch read (50000) --no-containers leave Docker out
//
// Services run for days, so that everybody is measured warm: the compiler of a fresh process takes
// a sixth of the time for some ten thousand claims. What was done cold comes first, unmeasured, for
// each side alike.
import process from "node:process";
import { parseArgs } from "node:util";
import { startRedisServer } from "../support/redis/redis-server.ts";
import { apiFigures } from "./api-side.ts";
import { BareSide } from "./bare-side.ts";
import { BullmqSide } from "./bullmq-side.ts";
import { containerFigures, sizes, versionMs, workerStartRatio } from "./container-side.ts";
import { median, percentile, rounded } from "./figures.ts";
import { gatewayFigures } from "./gateway-side.ts";
import { harmFigures } from "./harm-side.ts";
import { liveOutputPercent } from "./live-output-side.ts";
import { pageFigures } from "./page-side.ts";
import { fillHistory, measure, readings } from "./reading-side.ts";
import { rivals, rivalsAndSleeper, SettSide, threePhases } from "./sett-side.ts";
import { contractJsonMs, toolStartMs } from "./tool-side.ts";
import { workerFigures } from "./worker-side.ts";

const { values: options } = parseArgs({
  options: {
    goals: { type: "string", default: "1000" },
    claims: { type: "string", default: "20000" },
    past: { type: "string", default: "50000" },
    "no-containers": { type: "boolean", default: false },
  },
});
const goals = Number(options.goals);
const claims = Number(options.claims);
const figures: Record<string, number> = {};

// Also where something fails: what was measured before is worth having.
process.once("exit", () => {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(34)} ${rounded(value)}`);
  console.log(
    JSON.stringify(
      Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)])),
    ),
  );
});

{
  // As shipped: append-only, written every second, nothing evicted.
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis);
  await using bullmq = await BullmqSide.start(redis);
  await sett.throughput(claims / 2);
  await bullmq.throughput(claims / 2);
  const goalMs: number[] = [];
  const jobMs: number[] = [];
  const createMs: number[] = [];
  for (let round = 0; round < goals; round++) {
    const { toToolMs, createdMs } = await sett.latency();
    goalMs.push(toToolMs);
    createMs.push(createdMs);
    jobMs.push(await bullmq.latency());
  }
  figures.agents = sett.agents;
  figures.goal_to_grant_ms_p50 = median(goalMs);
  figures.goal_to_grant_ms_p99 = percentile(goalMs, 0.99);
  figures.bullmq_add_to_process_ms_p50 = median(jobMs);
  figures.create_artefact_ms_p50 = median(createMs);
  figures.claims_per_second = await sett.throughput(claims);
  figures.bullmq_jobs_per_second = await bullmq.throughput(claims);
}
for (const [name, clan, count] of [
  ["bare_claims_per_second", rivals, claims],
  ["bare_three_phase_claims_per_second", threePhases, claims / 4],
] as const) {
  await using redis = await startRedisServer();
  await using bare = await BareSide.start(redis, clan);
  await bare.throughput(count / 2);
  figures[name] = await bare.throughput(count);
  if (clan !== rivals) continue;
  const goalMs: number[] = [];
  for (let round = 0; round < goals / 4; round++) goalMs.push(await bare.latency());
  figures.bare_goal_to_grant_ms_p50 = median(goalMs);
}
{
  await using redis = await startRedisServer();
  {
    await using sett = await SettSide.start(redis, threePhases);
    await sett.throughput(claims / 4);
    figures.three_phase_claims_per_second = await sett.throughput(claims / 4);
    const phaseMs: number[] = [];
    for (let round = 0; round < 200; round++) phaseMs.push(await sett.phaseMs());
    figures.phase_ms_p50 = median(phaseMs);
  }
  {
    await using sett = await SettSide.start(redis, rivalsAndSleeper);
    await sett.throughput(2_000);
    figures.recovery_1000_claims_ms = await sett.recovery(1_000);
    // The orchestrator is a new one.
    await sett.throughput(claims / 2);
    await sett.park(10);
    const few = await sett.throughput(5_000);
    await sett.park(9_990);
    figures.open_claims_slowdown = few / (await sett.throughput(5_000));
  }
  {
    const hundred = Object.fromEntries(
      Array.from(
        { length: 100 },
        (_, index) => [`agent-${index}`, index === 0 ? "exclusive" : "ignore"] as const,
      ),
    );
    await using sett = await SettSide.start(redis, hundred, { sharedProcess: true });
    await sett.throughput(500);
    figures.claims_per_second_100_agents = await sett.throughput(1_000);
  }
}
{
  await using redis = await startRedisServer();
  await fillHistory(redis, Number(options.past));
  for (const [name, words] of readings) {
    const { seconds, megabytes } = await measure(redis, words);
    figures[`past_${name}_s`] = seconds;
    figures[`past_${name}_mb`] = megabytes;
  }
}
Object.assign(figures, await apiFigures(Number(options.past), claims / 4));
figures.tool_start_ms_p50 = await toolStartMs(100);
figures.contract_json_ms_p50 = contractJsonMs(1_000);
figures.live_output_percent = await liveOutputPercent(5);
figures.sett_version_ms = await versionMs(20);
Object.assign(figures, await workerFigures(20));
Object.assign(figures, await gatewayFigures(300));
if (!options["no-containers"]) {
  const { idle_memory_mb, ...containers } = await containerFigures(5);
  Object.assign(figures, containers);
  figures.worker_start_ratio = await workerStartRatio(5);
  Object.assign(figures, await harmFigures(10));
  Object.assign(figures, await pageFigures(5));
  for (const [part, megabytes] of Object.entries(idle_memory_mb))
    figures[`idle_${part}_mb`] = megabytes;
  for (const [name, megabytes] of Object.entries(await sizes()))
    figures[`${name.replaceAll(/[^a-z]+/g, "_")}_mb`] = megabytes;
}
