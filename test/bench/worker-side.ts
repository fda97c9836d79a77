// Measures the built-in worker: the time until it asks its model, and what it adds to a cub that
// never runs it.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, compilerFlags, hostArchitecture, imageBinaries } from "../../.ci/build.ts";
import { coder, cubInstance } from "../support/cub/cub-instance.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { startProgram } from "../support/process/service-process.ts";
import { type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { waitFor } from "../support/wait-for.ts";
import { median } from "./figures.ts";

const cub = join(root, `bin/linux-${hostArchitecture}/cub`);

/**
 * With and without the worker's sources in it; the two in turn. Times in milliseconds, memory in
 * megabytes.
 */
export async function workerFigures(rounds: number): Promise<Record<string, number>> {
  await build(imageBinaries(hostArchitecture).filter(({ program }) => program === "cub"));
  const without = await cubWithoutWorker();
  await using redis = await startRedisServer();
  const versions = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    versions.with.push(await versionMs(cub));
    versions.without.push(await versionMs(without));
  }
  return {
    worker_first_request_ms_p50: median(await firstRequestMs(redis, rounds)),
    cub_version_ms: median(versions.with),
    cub_without_worker_version_ms: median(versions.without),
    idle_cub_process_mb: await idleMegabytes(redis, cub),
    idle_cub_without_worker_process_mb: await idleMegabytes(redis, without),
  };
}

/**
 * From the moment at which a grant is queued to the first request of its worker, in a cub that
 * runs.
 */
async function firstRequestMs(redis: RedisServer, rounds: number): Promise<number[]> {
  const arrivals: number[] = [];
  await using model = scriptedModel("anthropic", [
    () => {
      arrivals.push(performance.now());
      return Response.json(
        { type: "error", error: { type: "invalid_request_error", message: "No more." } },
        { status: 400 },
      );
    },
  ]);
  await using scene = await cubInstance(redis, "true", { env: promptOf(model.gateway) });
  await using running = startProgram([cub], scene.env);
  await waitFor("the cub", () => running.log().some(({ msg }) => msg === "Cub started"));
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const target = await scene.standIn.post();
    const begun = performance.now();
    const claim = await scene.standIn.openGranted(target, coder);
    await scene.standIn.ended(claim, coder);
    samples.push((arrivals[round] ?? Number.NaN) - begun);
  }
  return samples;
}

const promptOf = (gateway: string) => ({
  ...{
    SETT_AGENT_COMMAND: "[]",
    SETT_PROMPT_EXECUTION: "Work.",
    SETT_HEALTH_PORT: "0",
    SETT_HEALTH_HOST: "127.0.0.1",
  },
  ...{
    SETT_GATEWAY_URL: gateway,
    SETT_MODEL: "m",
    SETT_MODEL_PROVIDER: "anthropic",
    SETT_MODEL_NAME: "strong",
    SETT_GIT_BINARY: "git",
  },
});

async function cubWithoutWorker(): Promise<string> {
  const path = join(root, "bin/bench/cub");
  await mkdir(join(root, "bin/bench"), { recursive: true });
  const worker = "--external=*/prompt-worker/work.ts";
  const compiler = Bun.spawn(
    [
      process.execPath,
      "build",
      ...compilerFlags,
      "--splitting",
      worker,
      `--outfile=${path}`,
      "apps/cub/main.ts",
    ],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  );
  if ((await compiler.exited) !== 0)
    throw new Error("The cub without the worker could not be compiled.");
  return path;
}

async function versionMs(program: string): Promise<number> {
  const begun = performance.now();
  await Bun.spawn([program, "--version"], { stdout: "ignore" }).exited;
  return performance.now() - begun;
}

/**
 * The resident memory of a cub that has worked on one goal, with a tool that does nothing, and
 * waits.
 */
async function idleMegabytes(redis: RedisServer, program: string): Promise<number> {
  const said = `cat >/dev/null; echo '{"artefact_type":"Done","artefact_payload":"'$PPID'","summary":""}'`;
  await using scene = await cubInstance(redis, said, {
    env: { SETT_HEALTH_PORT: "0", SETT_HEALTH_HOST: "127.0.0.1" },
  });
  await using _ = startProgram([program], scene.env);
  const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  const { artefact } = await scene.standIn.ended(claim, coder);
  const status = await readFile(`/proc/${artefact.payload}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_000;
}
