// A collector that does not answer: people who ask how their sett is hear of it, until it does.
import { expect, test } from "bun:test";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { freePort, startRedisServer } from "../../support/redis/redis-server.ts";
import { startTelemetryProgram } from "../../support/telemetry/telemetry-program.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan } from "../../support/world/clan.ts";
import { worker } from "../../support/world/memory-clan.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";

const flat = (text: string) => text.replace(/\s+/g, " ");

test("traces that do not reach their collector are named by status and doctor, with its address, until they do", async () => {
  await using redis = await startRedisServer();
  await using at = await Workspace.create();
  const place = placeInRedis(redis);
  await using clan = new Clan(place, await place.open());
  await clan.join({ coder: { behaviour: worker } });
  await clan.startOrchestrator();
  const port = await freePort();
  const env = { REDIS_URL: redis.url, SETT_INSTANCE_NAME: place.instance };
  await using _program = await startTelemetryProgram({
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:secret@127.0.0.1:${port}`,
    // The library tries again for as long, before it says anything.
    OTEL_EXPORTER_OTLP_TIMEOUT: "300",
  });
  const sett = async (...words: string[]) =>
    (await runSett(words, { cwd: at.folder, env: { ...at.env, ...env } })).out;
  const problem = async () => JSON.parse(await sett("status", "--json")).trace_problem;
  expect(await problem()).toBeNull();

  await clan.postGoal();
  const to = `http://127.0.0.1:${port}/v1/traces`;
  const found = await waitFor("the problem", async () => (await problem()) ?? undefined);
  expect(found.to).toBe(to);
  const said = flat(`${await sett("status")}${await sett("doctor")}`);
  expect(said).toContain(`Traces have not reached ${to} for`);
  expect(said).toContain(`traces have not reached ${to} since`);
  expect(said).not.toContain("secret");

  using _collector = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response() });
  await waitFor("the end of the problem", async () => (await problem()) === null);
}, 120_000);
