// The orchestrator's program: creates the dependencies, and alone reads the environment.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { text } from "node:stream/consumers";
import { systemClock } from "../../lib/async/clock.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { SettError } from "../../lib/model/errors.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import type { Workers } from "../../lib/runtime/port.ts";
import type { ProcessRuntimeOptions } from "../../lib/runtime/process/runtime.ts";
import { goByProxies } from "../../lib/service/by-proxy.ts";
import { describeFatalError } from "../../lib/service/fatal-error.ts";
import { runHealthcheck } from "../../lib/service/health-check.ts";
import { createJsonLog, type JsonLog } from "../../lib/service/json-log.ts";
import { passOn } from "../../lib/service/pass-on.ts";
import { serve } from "../../lib/service/serve.ts";
import { exitOn, stopSignal } from "../../lib/service/stop-signal.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createOrchestratorApp } from "./app.ts";
import { createOrchestratorMetrics } from "./leader/metrics.ts";
import { exportLines, proofKey } from "./notary/export-proof.ts";
import { SealedFiles } from "./notary/sealed-files.ts";
import { type CandidateDeps, Orchestrator } from "./orchestrator.ts";
import { readOutputLines, removeOutputs } from "./recorder/answer-outputs.ts";
import { OutputStore } from "./recorder/output-store.ts";
import {
  Environment,
  readLogReaderSettings,
  readNotarySettings,
  readProofSettings,
  readRecorderSettings,
  readRedisWaySettings,
  readSettings,
  readStarterSettings,
  type Settings,
} from "./settings.ts";
import { StarterClient } from "./workers/starter-client.ts";
import { RuntimeHost } from "./workers/worker-host.ts";

const usage =
  "usage: orchestrator [--version | --healthcheck | --starter | --log-reader | --redis-way | --pass-on | --recorder | --read-outputs | --remove-outputs | --notary | --export-proof | --proof-key]   (settings come from the environment)";

const modes = [
  "--healthcheck",
  "--starter",
  "--log-reader",
  "--redis-way",
  "--pass-on",
  "--recorder",
  "--read-outputs",
  "--remove-outputs",
  "--notary",
  "--export-proof",
  "--proof-key",
];

async function main([argument, ...more]: string[]): Promise<void> {
  goByProxies(process.env);
  if (argument === "--version") return console.log(packageJson.version);
  const isKnown = argument === undefined || modes.includes(argument);
  if (!isKnown || more.length > 0) {
    throw new SettError("usage", `Unknown argument ${argument}.`, { hint: usage });
  }
  if (argument === "--starter")
    return await (await import("./run-starter.ts")).runStarter(readStarterSettings(process.env));
  if (argument === "--log-reader") {
    return await (await import("./run-log-reader.ts")).runLogReader(
      readLogReaderSettings(process.env),
    );
  }
  if (argument === "--redis-way")
    return await (await import("./run-redis-way.ts")).runRedisWay(
      readRedisWaySettings(process.env),
    );
  if (argument === "--pass-on") return await passOn(readRedisWaySettings(process.env).port);
  if (argument === "--recorder")
    return await (await import("./run-recorder.ts")).runRecorder(readRecorderSettings(process.env));
  if (argument === "--notary")
    return await (await import("./run-notary.ts")).runNotary(readNotarySettings(process.env), fail);
  if (argument === "--export-proof" || argument === "--proof-key")
    return await answerProof(argument);
  if (argument === "--read-outputs" || argument === "--remove-outputs")
    return await answerAboutOutputs(argument);
  if (argument === "--healthcheck") {
    process.exitCode = await runHealthcheck(
      Environment.shape.SETT_HEALTH_PORT.parse(process.env.SETT_HEALTH_PORT),
      console.log,
    );
    return;
  }
  const settings = readSettings(process.env);
  const log = createJsonLog(console.log, systemClock.now).with({
    service: "orchestrator",
    instance: settings.instance,
  });
  const signal = stopSignal();
  const hasStarted = exitOn(signal);
  const metrics = createOrchestratorMetrics();
  const board = await connectBlackboard({
    url: settings.redisUrl,
    instance: settings.instance,
    timeoutMs: settings.redisTimeoutMs,
    giveUpMs: settings.redisGiveUpMs,
    onLost: fail,
    onUnreadable: (what) => log.warn("Skipped what cannot be read", { what }),
  });
  const workers = await workersOf(settings, log);
  const clock = systemClock;
  const orchestrator = new Orchestrator(
    {
      ...{ ...settings, version: packageJson.version },
      ...{ board, metrics, log, clock, newId: randomUUID, ...workers },
    },
    settings,
  );
  const app = createOrchestratorApp(orchestrator, { metrics });
  const server = serve({ port: settings.healthPort, hostname: settings.healthHost }, app.fetch);
  log.info("Orchestrator started", { version: packageJson.version, port: server.port });
  hasStarted();
  await orchestrator.run(signal);
  await server.stop();
  await board[Symbol.asyncDispose]();
  log.info("Orchestrator stopped", { signal: signal.reason });
}

async function answerAboutOutputs(argument: "--read-outputs" | "--remove-outputs"): Promise<void> {
  const store = new OutputStore({ ...readRecorderSettings(process.env), clock: systemClock });
  const order = await text(process.stdin);
  if (argument === "--remove-outputs") return await removeOutputs(store, order);
  for await (const line of readOutputLines(store, order)) console.log(line);
}

async function answerProof(argument: "--export-proof" | "--proof-key"): Promise<void> {
  const { folder, instance } = readProofSettings(process.env);
  const files = new SealedFiles(folder);
  if (argument === "--proof-key") return console.log(await proofKey(files, instance));
  const order = await text(process.stdin);
  for await (const line of exportLines(files, instance, order)) console.log(line);
}

/** Without workers no container runtime is loaded or needed. */
async function workersOf(
  { instance, workerTemplates: scales, starterUrl, processes }: Settings,
  log: JsonLog,
): Promise<Pick<CandidateDeps, "workers">> {
  if (scales.length === 0) return {};
  if (starterUrl !== undefined) {
    const url = await reachable(starterUrl, { log });
    return { workers: { host: new StarterClient(url, instance), scales } };
  }
  if (processes !== undefined)
    return { workers: { host: new RuntimeHost(await asProcesses(processes), scales), scales } };
  throw new SettError(
    "environment-invalid",
    "SETT_WORKERS is set, and neither SETT_STARTER_URL nor SETT_PROCESSES.",
    {
      hint: "Workers are started by the starter (`orchestrator --starter`) or as processes.",
    },
  );
}

async function asProcesses(options: ProcessRuntimeOptions): Promise<Workers> {
  const { processRuntime } = await import("../../lib/runtime/process/runtime.ts");
  return processRuntime(options, process.env).workers;
}

function fail(error: unknown): never {
  const { text: problem, exitCode } = describeFatalError("orchestrator", error);
  console.error(problem);
  process.exit(exitCode);
}

await main(process.argv.slice(2)).catch(fail);
