// The gateway's program: creates the dependencies, and alone reads the environment.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { systemAfter } from "../../lib/async/after.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { connectService } from "../../lib/blackboard/redis/connect.ts";
import { openReach } from "../../lib/reach/open-reach.ts";
import { failAs } from "../../lib/service/fatal-error.ts";
import { openSocket } from "../../lib/service/forward.ts";
import { passOn } from "../../lib/service/pass-on.ts";
import { beginService, runProgram } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createGatewayApp } from "./app.ts";
import { BodyStore, removeBody } from "./body-store.ts";
import { withCassettes } from "./cassettes/cassette-upstream.ts";
import { defaultLimits } from "./deps.ts";
import { readEgressSettings } from "./egress/settings.ts";
import { Gateway } from "./gateway.ts";
import { KeyFolder, parseKeys } from "./keys.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { runOldBodies } from "./old-bodies.ts";
import { readPacksSettings } from "./packs/settings.ts";
import { probeModels } from "./probe.ts";
import { createProviderUpstream } from "./provider-upstream.ts";
import { putSecrets } from "./put-secrets.ts";
import { parseDigests, readBody } from "./read-bodies.ts";
import { Environment, readSettings, type Settings } from "./settings.ts";
import { Tools } from "./tools/tools.ts";
import { tryModels } from "./try-models.ts";

/** `sett up` waits for it. */
const probeMs = 3_000;

async function runGateway(settings: Settings): Promise<void> {
  const { log, signal, hasStarted } = beginService("gateway", settings.instance);
  const metrics = createGatewayMetrics();
  const keys = new KeyFolder(settings.keysFolder);
  const { maxAnswerBytes } = defaultLimits;
  const providers = createProviderUpstream({
    ...settings,
    keys,
    metrics,
    log,
    clock: systemClock,
    random: Math.random,
    maxAnswerBytes,
  });
  const upstream = await withCassettes(providers, settings.cassette, { keys, log });
  let gateway: Gateway | undefined;
  const board = await connectService(settings, {
    isNeeded: () => gateway?.isNeeded === true,
    onLost: failAs("gateway"),
    onUnreadable: (what) => log.warn("Skipped what cannot be read", { what }),
  });
  const clock = systemClock;
  const limits = defaultLimits;
  const bodies = new BodyStore({ folder: settings.recordFolder, mode: settings.recordMode, log });
  gateway = new Gateway({
    ...settings,
    board,
    keys,
    bodies,
    upstream,
    metrics,
    log,
    clock,
    after: systemAfter,
    newId: randomUUID,
    limits,
  });
  await gateway.start(signal);
  const address = { port: settings.healthPort, hostname: settings.healthHost, isPatient: true };
  const { version } = packageJson;
  const tools = new Tools({
    ...{ board, keys, bodies, log, clock, newId: randomUUID, version },
    ...{
      servers: settings.toolServers,
      agents: settings.toolAgents,
      budgets: settings,
      folder: settings.recordFolder,
    },
  });
  const hasTools = settings.toolAgents.size > 0;
  const app = createGatewayApp(gateway, hasTools ? { tools, version } : undefined);
  const server = serve(address, app.fetch);
  using ways = new DisposableStack();
  const sockets = socketsOf(settings);
  for (const path of sockets.values()) ways.use(await openSocket(path, server.port ?? 0));
  ways.use(await openReach({ reach: settings.reach, sockets, clock, log }));
  const folder = settings.recordFolder;
  void runOldBodies(
    { folder, keptMs: settings.transcriptsKeptMs, log, nowMs: () => clock.now().getTime() },
    signal,
  );
  log.info("Gateway started", { version: packageJson.version, port: server.port });
  hasStarted();
  await gateway.run(signal);
  await server.stop();
  await board[Symbol.asyncDispose]();
  log.info("Gateway stopped", { signal: signal.reason });
}

/** One for each agent: each socket has a bound on its connections. */
function socketsOf({ socketsFolder, agents }: Settings): ReadonlyMap<string, string> {
  if (socketsFolder === undefined) return new Map();
  const pathOf = (agent: string) => join(socketsFolder, agent, "gateway.sock");
  return new Map([...agents.keys()].map((agent) => [agent, pathOf(agent)]));
}

const program = {
  name: "gateway",
  version: packageJson.version,
  run: () => runGateway(readSettings(process.env)),
  modes: {
    "--egress": async () => {
      const { runEgress } = await import("./egress/run-egress.ts");
      await runEgress(readEgressSettings(process.env));
    },
    "--packs": async () => {
      const { runPacks } = await import("./packs/run-packs.ts");
      await runPacks(readPacksSettings(process.env));
    },
    "--pass-on": () => passOn(readPacksSettings(process.env).port),
    "--put-keys": async () => {
      const folder = Environment.shape.SETT_KEYS_DIR.parse(process.env.SETT_KEYS_DIR);
      await new KeyFolder(folder).put(parseKeys(await text(process.stdin)));
    },
    "--put-secrets": async () =>
      await putSecrets(
        await text(process.stdin),
        (holder) => process.env[`SETT_SECRETS_OF_${holder}`],
      ),
    "--probe": async () => {
      const { models, keysFolder, wayTo } = readSettings(process.env);
      const within = { timeoutMs: probeMs, wayTo };
      const found = await probeModels(models, new KeyFolder(keysFolder), within);
      console.log(JSON.stringify(found));
    },
    "--try-models": async () => {
      const { models, keysFolder, wayTo } = readSettings(process.env);
      console.log(JSON.stringify(await tryModels(models, new KeyFolder(keysFolder), wayTo)));
    },
    "--read-bodies": async () => {
      const folder = Environment.shape.SETT_RECORD_DIR.parse(process.env.SETT_RECORD_DIR);
      for (const digest of parseDigests(await text(process.stdin)))
        console.log(JSON.stringify(await readBody(folder, digest)));
    },
    "--remove-bodies": async () => {
      const folder = Environment.shape.SETT_RECORD_DIR.parse(process.env.SETT_RECORD_DIR);
      for (const digest of parseDigests(await text(process.stdin)))
        await removeBody(folder, digest);
    },
  },
};

await runProgram(program, process);
