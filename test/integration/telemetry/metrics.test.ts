// The scrape address of the compiled API program, with a real Redis that comes and goes.
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import {
  startTelemetryProgram,
  type TelemetryProgram,
} from "../../support/telemetry/telemetry-program.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan } from "../../support/world/clan.ts";
import { worker } from "../../support/world/memory-clan.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";

/** The value of a series; undefined where it is not there. */
async function read(program: TelemetryProgram, series: string): Promise<number | undefined> {
  const line = (await program.scrape()).split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const until = (program: TelemetryProgram, series: string, value: number) =>
  waitFor(`${series} to be ${value}`, async () => (await read(program, series)) === value, {
    everyMs: 200,
    happened: () => program.scrape(),
  });

test("one address has the metrics of an instance, and counts each event once although Redis was killed meanwhile", async () => {
  await using redis = await startRedisServer();
  const place = placeInRedis(redis);
  await using clan = new Clan(place, await place.open());
  await clan.join({ coder: { behaviour: worker } });
  await using program = await startTelemetryProgram({
    SETT_INSTANCE_NAME: place.instance,
    REDIS_URL: redis.url,
  });
  await clan.startOrchestrator();
  const ended = 'sett_instance_goals_ended_total{state="achieved"}';
  await clan.postGoal();
  await until(program, ended, 1);
  expect(await read(program, "sett_instance_up")).toBe(1);
  expect(await program.scrape()).toContain("# TYPE sett_api_requests_total counter");
  expect(await read(program, "sett_instance_redis_memory_bytes")).toBeGreaterThan(100_000);
  expect(await read(program, "sett_instance_orchestrator_leads")).toBe(1);

  await redis.kill();
  await until(program, "sett_instance_up", 0);
  await redis.start();
  await until(program, "sett_instance_up", 1);
  await clan.postGoal();
  await until(program, ended, 2);
  await until(program, "sett_instance_telemetry_lag_seconds", 0);
  const [counted, logged] = [
    await read(program, 'sett_instance_events_total{type="artefact_created"}'),
    await artefactsOf(clan),
  ];
  expect(counted).toBe(logged);
});

test("a scrape is answered while Redis hangs, and says that the blackboard cannot be read", async () => {
  await using redis = await startRedisServer();
  const { instance } = placeInRedis(redis);
  await using program = await startTelemetryProgram({
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
  });
  await until(program, "sett_instance_up", 1);
  redis.freeze();
  await until(program, "sett_instance_up", 0);
  redis.unfreeze();
  await until(program, "sett_instance_up", 1);
});

nightly("the end waits for a collector that is away, but not for long", async () => {
  await using redis = await startRedisServer();
  const place = placeInRedis(redis);
  await using clan = new Clan(place, await place.open());
  await clan.join({ coder: { behaviour: worker } });
  await clan.startOrchestrator();
  const env = { SETT_INSTANCE_NAME: place.instance, REDIS_URL: redis.url };
  await using program = await startTelemetryProgram({
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
  });
  await clan.postGoal(randomUUID());
  await waitFor(
    "spans to wait",
    async () => ((await read(program, "sett_instance_telemetry_spans_waiting")) ?? 0) > 0,
  );
  expect(await program.stop()).toBe(0);
  const lines = program.log().map(({ msg }) => msg);
  expect(lines).toContain("Spans were not exported before the end");
  expect(lines.at(-1)).toBe("API stopped");
});

async function artefactsOf({ board }: Clan): Promise<number> {
  return (await board.readEvents("0", 10_000)).filter(({ type }) => type === "artefact_created")
    .length;
}
