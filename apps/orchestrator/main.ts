// The orchestrator's program: creates the dependencies, and alone reads the environment.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { text } from "node:stream/consumers";
import { systemClock } from "../../lib/async/clock.ts";
import { connectService } from "../../lib/blackboard/redis/connect.ts";
import { SettError } from "../../lib/model/errors.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import type { Workers } from "../../lib/runtime/port.ts";
import type { ProcessRuntimeOptions } from "../../lib/runtime/process/runtime.ts";
import { failAs } from "../../lib/service/fatal-error.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { passOn } from "../../lib/service/pass-on.ts";
import { beginService, runProgram } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createOrchestratorApp } from "./app.ts";
import { createOrchestratorMetrics } from "./leader/metrics.ts";
import { attestationKey, exportLines, proofKey } from "./notary/export-proof.ts";
import { SealedFiles } from "./notary/sealed-files.ts";
import { type CandidateDeps, Orchestrator } from "./orchestrator.ts";
import { readOutputLines, removeOutputs } from "./recorder/answer-outputs.ts";
import { OutputStore } from "./recorder/output-store.ts";
import {
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

const fail = failAs("orchestrator");

async function runOrchestrator(settings: Settings): Promise<void> {
  const { log, signal, hasStarted } = beginService("orchestrator", settings.instance);
  const metrics = createOrchestratorMetrics();
  const board = await connectService(settings, {
    onLost: fail,
    onUnreadable: (what) => log.warn("Skipped what cannot be read", { what }),
  });
  const workers = await workersOf(settings, log);
  const clock = systemClock;
  const orchestrator = new Orchestrator(
    {
      ...{ ...settings, version: packageJson.version },
      ...{ board, metrics, log, clock, newId: randomUUID, ...workers },
      isInCluster: process.pid === 1 && process.env.KUBERNETES_SERVICE_HOST !== undefined,
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

/** The order is on standard input. */
async function outputs() {
  const store = new OutputStore({ ...readRecorderSettings(process.env), clock: systemClock });
  return [store, await text(process.stdin)] as const;
}

function proof() {
  const { folder, instance } = readProofSettings(process.env);
  return [new SealedFiles(folder), instance] as const;
}

const program = {
  name: "orchestrator",
  version: packageJson.version,
  run: () => runOrchestrator(readSettings(process.env)),
  modes: {
    "--starter": async () => {
      const { runStarter } = await import("./run-starter.ts");
      await runStarter(readStarterSettings(process.env));
    },
    "--log-reader": async () => {
      const { runLogReader } = await import("./run-log-reader.ts");
      await runLogReader(readLogReaderSettings(process.env));
    },
    "--redis-way": async () => {
      const { runRedisWay } = await import("./run-redis-way.ts");
      await runRedisWay(readRedisWaySettings(process.env));
    },
    "--pass-on": () => passOn(readRedisWaySettings(process.env).port),
    "--recorder": async () => {
      const { runRecorder } = await import("./run-recorder.ts");
      await runRecorder(readRecorderSettings(process.env));
    },
    "--read-outputs": async () => {
      for await (const line of readOutputLines(...(await outputs()))) console.log(line);
    },
    "--remove-outputs": async () => removeOutputs(...(await outputs())),
    "--hold-volume": async () => (await import("./volume-modes.ts")).holdVolume(),
    "--read-volume": async () => (await import("./volume-modes.ts")).readVolume(),
    "--write-volume": async () => (await import("./volume-modes.ts")).writeVolume(),
    "--notary": async () => {
      const { runNotary } = await import("./run-notary.ts");
      await runNotary(readNotarySettings(process.env), fail);
    },
    "--export-proof": async () => {
      const order = await text(process.stdin);
      for await (const line of exportLines(...proof(), order)) console.log(line);
    },
    "--keep-anchor": async () => {
      const { keepAnchor } = await import("./notary/anchors.ts");
      console.log(JSON.stringify(await keepAnchor(...proof(), await text(process.stdin))));
    },
    "--rotate-key": async () => {
      const { rotateKey } = await import("./notary/rotate-key.ts");
      console.log(JSON.stringify(await rotateKey(...proof())));
    },
    "--proof-key": async () => {
      console.log(await proofKey(...proof()));
      process.stdout.write(await attestationKey(...proof()));
    },
  },
};

await runProgram(program, process);
