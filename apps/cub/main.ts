// The cub's program: wires the dependencies. No other file of the cub reads the environment.
import { randomUUID } from "node:crypto";
import { networkInterfaces, hostname as ownHostname } from "node:os";
import process from "node:process";
import { systemClock } from "../../lib/async/clock.ts";
import { byMail } from "../../lib/blackboard/mail/by-mail.ts";
import { ownLibraries } from "../../lib/git/run/own-libraries.ts";
import { needsWorkers } from "../../lib/model/agent.ts";
import { exitCodes, SettError } from "../../lib/model/errors.ts";
import { ClaimId } from "../../lib/model/ids.ts";
import { provenProtocol } from "../../lib/model/proven-address.ts";
import { closeToOthers, endByNoSignalOfOthers } from "../../lib/process/process-one.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import { goByProxies } from "../../lib/service/by-proxy.ts";
import { failAs } from "../../lib/service/fatal-error.ts";
import { readMetrics, runHealthcheck } from "../../lib/service/health-check.ts";
import { createJsonLog, type JsonLog } from "../../lib/service/json-log.ts";
import { serveFew } from "../../lib/service/serve-few.ts";
import { exitOn, stopSignal } from "../../lib/service/stop-signal.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import packageJson from "../../package.json" with { type: "json" };
import { modelAsker } from "./bid/ask-model.ts";
import { CageProof } from "./container/cage.ts";
import { readOwnProcess } from "./container/own-process.ts";
import { Cub } from "./cub.ts";
import type { Deps } from "./program/deps.ts";
import { withLogin } from "./program/login.ts";
import { LoopWatch } from "./program/loop-watch.ts";
import { loadOwnRegistration } from "./program/own-registration.ts";
import { maskedLine } from "./secrets/mask-line.ts";
import { Secrets } from "./secrets/secrets.ts";
import {
  readExamineSettings,
  readLayerSettings,
  readPrepareSettings,
  readSettings,
  type Settings,
} from "./settings.ts";
import { commandsOf } from "./tool/commands.ts";
import { commandText } from "./tool/log-text.ts";
import { OutputKeeper } from "./tool/output-keeper.ts";
import { workingCopyOf } from "./tool/working-copy-of.ts";
import { executeClaim } from "./work/execute-claim.ts";
import { workUntilIdle } from "./work/work-until-idle.ts";

const usage =
  "usage: cub [--version | --healthcheck | --metrics | --execute-claim CLAIM | --work | --lane | --make-layer COMMIT | --prepare STEP | --examine HOW | --examine-order | --examine-shell]   (settings come from the environment)";

const fail = failAs("cub");

type OwnSettings = Settings & { isForgotten: boolean };

/** Its own commands reach the port as well. */
const maxHealthConnections = 32;

async function main(given: string[]): Promise<void> {
  goByProxies(process.env);
  const { environment, isForgotten, rest } = await withLogin(given, process.env);
  const [argument, ...more] = rest;
  if (argument === "--version") return console.log(packageJson.version);
  if (argument === "--work") {
    // In a container its tools are programs of the same user.
    if (process.ppid === 1) await closeToOthers();
    return (await import("./prompt-worker/work.ts")).runWorker(process.env);
  }
  if (argument === "--lane") {
    if (process.ppid === 1) await closeToOthers();
    return (await import("./lane/run-lane.ts")).runLane(process.env);
  }
  if (argument === "--make-layer")
    return (await import("./tool/make-layer.ts")).makeLayer(
      more,
      readLayerSettings(process.env),
      process.env.PATH,
    );
  if (argument === "--prepare")
    return (await import("./work/prepare.ts")).prepare(more, readPrepareSettings(process.env));
  if (argument === "--examine")
    return (await import("./examine/examine.ts")).examine(more, readExamineSettings(process.env));
  if (argument === "--examine-order")
    return (await import("./examine/order.ts")).bringOrder(readExamineSettings(process.env));
  if (argument === "--examine-shell")
    return (await import("./examine/shell.ts")).runShell(more, readExamineSettings(process.env));
  const claim = argument === "--execute-claim" ? claimOf(more) : undefined;
  const isAboutCub = argument === "--healthcheck" || argument === "--metrics";
  if (argument !== undefined && claim === undefined && (!isAboutCub || more.length > 0)) {
    throw new SettError("usage", `Unknown argument ${argument}.`, { hint: usage });
  }
  const settings = { ...readSettings(environment), isForgotten };
  if (claim !== undefined) return work(settings, claim);
  if (argument === "--metrics") return console.log(await readMetrics(settings.healthPort));
  if (argument === "--healthcheck") {
    process.exitCode = await runHealthcheck(settings.healthPort, console.log);
    return;
  }
  const signal = stopSignal(settings.stopSignals);
  await endByNoSignalOfOthers();
  const hasBegun = exitOn(signal);
  // The port is taken before anything is written: an agent that cannot serve must not be
  // registered.
  let answer = (_: Request): Response | Promise<Response> =>
    new Response("Starting.", { status: 503 });
  const { healthPort: port, healthHost: hostname } = settings;
  const few = { port, hostname, most: maxHealthConnections, maxBodyBytes: 0 };
  const server = await serveFew(few, (request) => answer(request));
  let holdsWork = () => false;
  const deps = await depsOf(settings, signal, () => holdsWork());
  const cub = new Cub(deps, settings);
  holdsWork = () => cub.holdsWork;
  const { createServiceApp } = await import("../../lib/service/service-app.ts");
  const app = createServiceApp({
    service: "cub",
    health: () => cub.health(),
    metrics: deps.metrics.registry,
    state: () => cub.state(),
  });
  answer = (request) => app.fetch(request);
  const { role } = deps.registration.current;
  deps.log.info("Cub started", {
    version: packageJson.version,
    port: server.port,
    command: commandText(deps.command),
    model: deps.model?.name,
    role,
  });
  hasBegun();
  await cub.run(signal);
  await server.stop();
  await deps.board[Symbol.asyncDispose]();
  deps.log.info("Cub stopped", { signal: signal.reason });
}

/** A worker: works on one claim and ends, or on one after the other until none comes. */
async function work(settings: OwnSettings, claim: ClaimId): Promise<void> {
  const { grantAttempt: attempt, shutdownTimeoutMs } = settings;
  const stop = stopSignal(settings.stopSignals);
  await endByNoSignalOfOthers();
  const hasBegun = exitOn(stop, exitCodes.notAccepted);
  const kill = new AbortController();
  const onStop = () => setTimeout(() => kill.abort(), shutdownTimeoutMs).unref();
  stop.addEventListener("abort", onStop, { once: true });
  let holdsWork = false;
  const deps = await depsOf(settings, stop, () => holdsWork);
  hasBegun();
  if (deps.cage?.problem !== undefined) throw new SettError("not-ready", deps.cage.problem);
  deps.log.info("Worker started", { version: packageJson.version, claim_id: claim, attempt });
  const onBegin = () => {
    holdsWork = true;
  };
  const signals = { stop, kill: kill.signal };
  const { idleMs, turnMs } = settings;
  if (idleMs === undefined)
    process.exitCode = await executeClaim(deps, claim, attempt, signals, onBegin);
  else await workUntilIdle(deps, { idleMs, turnMs }, signals, onBegin);
  stop.removeEventListener("abort", onStop);
  await deps.board[Symbol.asyncDispose]();
}

/** `isNeeded`: it holds work, so that it does not end where Redis stays away. */
async function depsOf(
  settings: OwnSettings,
  signal: AbortSignal,
  isNeeded: () => boolean,
): Promise<Deps> {
  const { instance, agentName: agent } = settings;
  const secrets =
    settings.secrets && new Secrets(settings.secrets.folder, settings.secrets.variables);
  const write = (line: string) =>
    console.log(secrets === undefined ? line : maskedLine(line, secrets.masker()));
  const log = createJsonLog(write, systemClock.now).with({ service: "cub", instance, agent });
  const cage = cageOf(settings);
  const proven = cage?.prove();
  const board = await connect(settings, isNeeded, log);
  const load = () => loadOwnRegistration(board, settings);
  const registration = await untilContact(load, { signal, log });
  const { current } = registration;
  const caller = { log, password: new URL(settings.redisUrl).password };
  const place = { ...settings, packs: await packsFor(settings, caller) };
  const workingCopy = await workingCopyOf(place, process.env.PATH, needsWorkers(current));
  const model = settings.model && {
    ...settings.model,
    gatewayUrl: await gatewayUrlFor(settings.model.gatewayUrl, secrets, caller),
  };
  const egressUrl = settings.egressUrl && (await reachable(settings.egressUrl, caller));
  const hasProxy = egressUrl !== undefined;
  const now = systemClock.passedMs;
  const watch = {
    watcher: new LoopWatch("claim watcher", now),
    executor: new LoopWatch("work executor", now),
  };
  await proven;
  if (cage?.problem !== undefined) log.error("Takes no work", { problem: cage.problem });
  const [, script = ""] = process.argv;
  const { promptClaim: prompt = "" } = settings;
  return {
    ...commandsOf({
      ...{ settings, registration, workingCopy, secrets, egressUrl, log },
      environment: process.env,
      program: { execPath: process.execPath, script, isWholeProgram: import.meta.main },
      noteTrouble: (sentence) => watch.executor.noteTrouble(sentence),
      notConfined: () => cage?.problem,
    }),
    ...{ board, registration, workingCopy, model, cage, secrets, log, watch },
    contextBytes: settings.contextBytes,
    lane: settings.lane,
    outputs: await outputsOf(settings, caller),
    grantLeaseMs: settings.grantLeaseMs,
    network: isClosed(settings) || !hasNetwork() ? { hasProxy } : undefined,
    askModel:
      model === undefined || prompt === "" ? undefined : modelAsker({ board, model, prompt }),
    isInContainer: process.pid === 1,
    isInCluster: process.pid === 1 && process.env.KUBERNETES_SERVICE_HOST !== undefined,
    ownProcess: readOwnProcess(),
    clock: systemClock,
    newId: randomUUID,
    metrics: (await import("./program/metrics.ts")).createCubMetrics(),
  };
}

function isClosed({ cage }: OwnSettings): boolean {
  return cage?.network === "closed" || cage?.network === "policies";
}

/** A cub that shares its process numbers with others has nothing that confines its commands. */
function cageOf({ cage, git, isForgotten }: OwnSettings): CageProof | undefined {
  if (cage === undefined || process.pid !== 1) return undefined;
  const { binary, libraryPath } = git;
  const env = { PATH: process.env.PATH, ...ownLibraries(libraryPath) };
  return new CageProof(cage, { path: binary, env }, process.env, isForgotten);
}

async function connect(settings: Settings, isNeeded: () => boolean, log: JsonLog) {
  const { instance, agentName, redisUrl: url } = settings;
  const { redisTimeoutMs: timeoutMs, redisGiveUpMs: giveUpMs } = settings;
  const onUnreadable = (what: string) => log.warn("Skipped what cannot be read", { what });
  // It is imported here, because the built-in worker is this program as well, and starts in half
  // the time without it.
  const { connectBlackboard } = await import("../../lib/blackboard/redis/connect.ts");
  const host = ownHostname();
  const connected = await connectBlackboard({
    ...{ url, instance, timeoutMs, giveUpMs, host },
    ...{ isNeeded, onLost: fail, onUnreadable },
  });
  return byMail(connected, { agent: agentName, host, timeoutMs });
}

async function outputsOf(
  { recorderUrl, outputBytes: maxBytes }: Settings,
  caller: { log: JsonLog; password: string },
): Promise<OutputKeeper | undefined> {
  if (recorderUrl === undefined || maxBytes === 0) return undefined;
  const url = await reachable(recorderUrl, caller);
  return new OutputKeeper({ url, maxBytes, log: caller.log });
}

/** A socket needs no way of its own. */
async function packsFor(
  { packs }: Settings,
  caller: { log: JsonLog; password: string },
): Promise<Settings["packs"]> {
  const url = packs?.address.url ?? "";
  if (packs === undefined || new URL(url).protocol !== provenProtocol) return packs;
  return { ...packs, address: { url: await reachable(url, caller) } };
}

/** Returns the address at which its commands reach the gateway. */
async function gatewayUrlFor(
  url: string,
  secrets: Secrets | undefined,
  caller: { log: JsonLog; password: string },
): Promise<string> {
  const direct = await reachable(url, caller);
  if (secrets === undefined) return direct;
  return (await import("./secrets/masking-proxy.ts")).openMaskingProxy(direct, () =>
    secrets.masker(),
  );
}

function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ internal }) => !internal));
}

/** Throws `usage`. */
function claimOf(args: readonly string[]): ClaimId {
  const claim = ClaimId.safeParse(args[0]);
  if (claim.success && args.length === 1) return claim.data;
  throw new SettError(
    "usage",
    `--execute-claim takes the id of one claim, not ${args.join(" ") || "nothing"}.`,
    {
      hint: usage,
    },
  );
}

await main(process.argv.slice(2)).catch(fail);
