// The API's program: creates the dependencies, and alone reads the environment.

import { randomUUID } from "node:crypto";
import { setPriority } from "node:os";
import process from "node:process";
import { text } from "node:stream/consumers";
import { systemClock } from "../../lib/async/clock.ts";
import { traceProblemKey, traceProblemMs } from "../../lib/blackboard/records/trace-problem.ts";
import { connectService } from "../../lib/blackboard/redis/connect.ts";
import { maxBroughtBytes } from "../../lib/client/remote/bring-commit.ts";
import { type Drawer, drawApart } from "../../lib/drawing/draw-apart.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { ownProgram } from "../../lib/process/own-program.ts";
import { failAs } from "../../lib/service/fatal-error.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { beginService, runProgram } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import { createServiceApp } from "../../lib/service/service-app.ts";
import { startTelemetry } from "../../lib/telemetry/start.ts";
import packageJson from "../../package.json" with { type: "json" };
import { sessionKeyOf } from "./access/session-key.ts";
import { createApi } from "./app.ts";
import { carriedPage } from "./carried-page.ts";
import type { Deps } from "./deps.ts";
import { FewAtOnce } from "./few-at-once.ts";
import { putHookSecrets, readHookSecret } from "./hook-secrets.ts";
import { openLogs } from "./logs.ts";
import { createApiMetrics, withInstance } from "./metrics.ts";
import { openOutputs } from "./outputs.ts";
import { suggestRequest } from "./over-http.ts";
import { pageOf } from "./page.ts";
import { reachablePacks } from "./reachable-packs.ts";
import { copiedRepository, openRepository } from "./repository.ts";
import { readSettings, type Settings } from "./settings.ts";
import { settingsOnStdin } from "./settings-on-stdin.ts";
import { withHeaders } from "./telemetry-headers.ts";
import { putTls, readTls } from "./tls.ts";

const portTexts = {
  name: "port of the API",
  hint: "Set SETT_API_PORT (`services.api.port` in sett.yml) to a free port.",
};

const fail = failAs("api");

/** Less than what cuts the client that waits for it. */
const drawingMs = 30_000;

/** A client that sends or takes nothing for so long is cut; a stream of events pings more often. */
const idleSeconds = 60;

/** The value is that of `nice`: on a full machine those who watch yield to those who work. */
const niceness = 10;

async function runApi(settings: Settings): Promise<void> {
  setPriority(niceness);
  const { instance, host: hostname } = settings;
  const { log, signal, hasStarted } = beginService("api", instance);
  const deps = await depsOf(settings, log, signal);
  const { board, version } = deps;
  const page = await carriedPage();
  const api = createApi(deps, signal, page === undefined ? {} : { page: pageOf(page) });
  // Redis sends the log to this process once.
  const { hub } = api.parts;
  const telemetry = startTelemetry({
    board: { ...board, followEvents: (from: string, over: AbortSignal) => hub.follow(from, over) },
    settings: await withHeaders(settings, signal),
    version,
    log,
    signal,
    onProblem: (problem) =>
      board.keepReply(traceProblemKey, JSON.stringify(problem ?? null), traceProblemMs),
  });
  const health = createServiceApp({
    service: "api",
    health: () => healthOf(deps),
    metrics: withInstance(deps.metrics, telemetry.metrics),
    state: () => ({
      streams: api.parts.streams.open,
      last_event: hub.last ?? null,
      telemetry: telemetry.state(),
    }),
  });
  const healthServer = serve(
    { port: settings.healthPort, hostname: settings.healthHost },
    health.fetch,
  );
  const tls = await readTls(settings, signal);
  const way = { hostname, idleSeconds, tls, maxBodyBytes: maxBroughtBytes };
  const address = { port: settings.port, ...way, ...portTexts };
  const server = serve(address, api.app.fetch);
  log.info("API started", { version, port: server.port, health_port: healthServer.port });
  hasStarted();
  await api.run();
  await Promise.all([server.stop(), healthServer.stop(), telemetry.ended]);
  await board[Symbol.asyncDispose]();
  log.info("API stopped", { signal: signal.reason });
}

/** `signal`: the API ends, and with it what draws a picture. */
async function depsOf(settings: Settings, log: JsonLog, signal: AbortSignal) {
  const { instance, tokens, oidc, isSecure, hostNames, origins, limits, triggers } = settings;
  const { resultsFolder, hookSecretsFolder: secrets } = settings;
  const board = await connectService(settings, {
    onLost: fail,
    onUnreadable: (what) => log.warn("Skipped what cannot be read", { what }),
  });
  const results = resultsFolder === undefined ? undefined : { instance, folder: resultsFolder };
  const drawings = new FewAtOnce("draws other pictures", { max: 1, maxWaiting: 4 });
  return {
    ...{ board, tokens, oidc, isSecure, hostNames, origins, limits, triggers, log },
    version: packageJson.version,
    folder: resultsFolder,
    secretOf: async (name) =>
      secrets === undefined ? undefined : await readHookSecret(secrets, name),
    repository: await repositoryFor(settings, results, log),
    drawSvg: (dot) => drawings.run(() => drawApart(dot, drawer(), signal)),
    logs: await openLogs(settings, process.env, log),
    readOutput: await openOutputs(settings.recorderUrl, log),
    sessionKey: await sessionKeyOf(settings.sessionKey, resultsFolder),
    metrics: createApiMetrics(),
    clock: systemClock,
    newId: randomUUID,
    suggest: suggestRequest,
  } satisfies Deps;
}

async function repositoryFor(
  settings: Settings,
  results: { instance: InstanceName; folder: string } | undefined,
  log: JsonLog,
) {
  const { repositoryFolder, copyFolder, hasFiles } = settings;
  const packs = await reachablePacks(settings, log);
  const access = { hasFiles, results };
  if (repositoryFolder !== undefined)
    return await openRepository(repositoryFolder, process.env, { ...access, packs });
  if (copyFolder === undefined || packs === undefined) return undefined;
  return copiedRepository(copyFolder, process.env, { ...access, packs });
}

/** This program, started again. */
function drawer(): Drawer {
  const [, script = ""] = process.argv;
  const own = { execPath: process.execPath, script, isWholeProgram: import.meta.main };
  return {
    command: [...ownProgram(own, "api"), "--draw"],
    cwd: process.cwd(),
    timeoutMs: drawingMs,
  };
}

function healthOf({ board }: Deps) {
  const problem = board.contactProblem();
  return problem === undefined ? { ok: true as const } : { ok: false as const, reason: problem };
}

const program = {
  name: "api",
  version: packageJson.version,
  run: () => runApi(readSettings(process.env)),
  modes: {
    "--put-tls": async () => {
      const { tls } = readSettings(process.env);
      if (tls === undefined) throw new SettError("usage", "The settings name no certificate.");
      await putTls(tls, await text(process.stdin));
    },
    "--put-secrets": async () => {
      const { hookSecretsFolder } = readSettings(process.env);
      if (hookSecretsFolder === undefined)
        throw new SettError("usage", "The settings name no folder for secrets.");
      await putHookSecrets(hookSecretsFolder, await text(process.stdin));
    },
    "--forge": async () => {
      const { runForge } = await import("./forge/run-forge.ts");
      await runForge(readSettings(process.env), process.env, fail);
    },
    "--settings": async () => {
      await runApi(readSettings(await settingsOnStdin(process.stdin, () => process.exit(0))));
      process.exit();
    },
    "--draw": async () => {
      const { runDrawer } = await import("../../lib/drawing/draw.ts");
      const { stdin, stdout, stderr } = process;
      process.exitCode = await runDrawer({ stdin, stdout, stderr });
    },
  },
};

await runProgram(program, process);
