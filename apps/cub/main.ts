// The cub's program: wires the dependencies. No other file of the cub reads the environment.
import { randomUUID } from "node:crypto";
import { networkInterfaces, hostname as ownHostname } from "node:os";
import process from "node:process";
import { systemClock } from "../../lib/async/clock.ts";
import { byMail } from "../../lib/blackboard/mail/by-mail.ts";
import { ownIdentity } from "../../lib/git/run/own-config.ts";
import { needsWorkers } from "../../lib/model/agent.ts";
import { exitCodes, messageOf, SettError } from "../../lib/model/errors.ts";
import { ClaimId } from "../../lib/model/ids.ts";
import { directToThisMachine } from "../../lib/model/proxy.ts";
import { leaveCrashesToTheSystem } from "../../lib/process/process-one.ts";
import { runCommand } from "../../lib/process/run-command.ts";
import { describeFatalError } from "../../lib/service/fatal-error.ts";
import { reachable } from "../../lib/service/forward.ts";
import { readMetrics, runHealthcheck } from "../../lib/service/health-check.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { serve } from "../../lib/service/serve.ts";
import { exitOn, stopSignal } from "../../lib/service/stop-signal.ts";
import packageJson from "../../package.json" with { type: "json" };
import { modelAsker } from "./bid/ask-model.ts";
import { CleanSlate } from "./container/clean-slate.ts";
import { readOwnProcess } from "./container/own-process.ts";
import { toolLimits } from "./container/tool-limits.ts";
import { Cub } from "./cub.ts";
import type { Deps } from "./program/deps.ts";
import { LoopWatch } from "./program/loop-watch.ts";
import { loadOwnRegistration } from "./program/own-registration.ts";
import { maskedLine } from "./secrets/mask-line.ts";
import { Secrets, withoutSecrets } from "./secrets/secrets.ts";
import { readSettings, type Settings } from "./settings.ts";
import { commandText } from "./tool/log-text.ts";
import { withModel } from "./tool/model-access.ts";
import {
  bidEnvironment,
  proxyVariables,
  toolEnvironment,
  withTrace,
} from "./tool/tool-environment.ts";
import { isPrompt, workerCommand, workerVariables } from "./tool/worker-command.ts";
import { workingCopyOf } from "./tool/working-copy-of.ts";
import { executeClaim } from "./work/execute-claim.ts";

const usage =
  "usage: cub [--version | --healthcheck | --metrics | --execute-claim CLAIM | --work]   (settings come from the environment)";

const bidTimeoutMs = 10_000;
const maxBidOutputBytes = 64 * 1024;

async function main([argument, ...more]: string[]): Promise<void> {
  Object.assign(process.env, directToThisMachine(process.env));
  if (argument === "--version") return console.log(packageJson.version);
  if (argument === "--work")
    return (await import("./prompt-worker/work.ts")).runWorker(process.env);
  const claim = argument === "--execute-claim" ? claimOf(more) : undefined;
  const isAboutCub = argument === "--healthcheck" || argument === "--metrics";
  if (argument !== undefined && claim === undefined && (!isAboutCub || more.length > 0)) {
    throw new SettError("usage", `Unknown argument ${argument}.`, { hint: usage });
  }
  const settings = readSettings(process.env);
  if (claim !== undefined) return work(settings, claim);
  if (argument === "--metrics") return console.log(await readMetrics(settings.healthPort));
  if (argument === "--healthcheck") {
    process.exitCode = await runHealthcheck(settings.healthPort, console.log);
    return;
  }
  const signal = stopSignal(settings.stopSignals);
  await leaveCrashesToTheSystem();
  const hasBegun = exitOn(signal);
  // The port is taken before anything is written: an agent that cannot serve must not be
  // registered.
  let answer = (_: Request): Response | Promise<Response> =>
    new Response("Starting.", { status: 503 });
  const address = { port: settings.healthPort, hostname: settings.healthHost };
  const server = serve(address, (request) => answer(request));
  let holdsWork = () => false;
  const deps = await depsOf(settings, () => holdsWork());
  const cub = new Cub(deps, settings);
  holdsWork = () => cub.holdsWork;
  const { createCubApp } = await import("./app.ts");
  const app = createCubApp({
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

/** A worker: works on one claim and ends. */
async function work(settings: Settings, claim: ClaimId): Promise<void> {
  const { grantAttempt: attempt, shutdownTimeoutMs } = settings;
  const stop = stopSignal(settings.stopSignals);
  await leaveCrashesToTheSystem();
  const hasBegun = exitOn(stop, exitCodes.notAccepted);
  const kill = new AbortController();
  const onStop = () => setTimeout(() => kill.abort(), shutdownTimeoutMs).unref();
  stop.addEventListener("abort", onStop, { once: true });
  let holdsWork = false;
  const deps = await depsOf(settings, () => holdsWork);
  hasBegun();
  deps.log.info("Worker started", { version: packageJson.version, claim_id: claim, attempt });
  const onBegin = () => {
    holdsWork = true;
  };
  process.exitCode = await executeClaim(deps, claim, attempt, { stop, kill: kill.signal }, onBegin);
  stop.removeEventListener("abort", onStop);
  await deps.board[Symbol.asyncDispose]();
}

/** `isNeeded`: it holds work, so that it does not end where Redis stays away. */
async function depsOf(settings: Settings, isNeeded: () => boolean): Promise<Deps> {
  const {
    instance,
    agentName,
    redisUrl: url,
    redisTimeoutMs: timeoutMs,
    redisGiveUpMs: giveUpMs,
  } = settings;
  const secrets =
    settings.secrets && new Secrets(settings.secrets.folder, settings.secrets.variables);
  const write = (line: string) =>
    console.log(secrets === undefined ? line : maskedLine(line, secrets.masker()));
  const log = createJsonLog(write, systemClock.now).with({
    service: "cub",
    instance,
    agent: agentName,
  });
  const onUnreadable = (what: string) => log.warn("Skipped what cannot be read", { what });
  // Here, because the built-in worker is this program as well, and starts in half the time without
  // it.
  const { connectBlackboard } = await import("../../lib/blackboard/redis/connect.ts");
  const host = ownHostname();
  const connected = await connectBlackboard({
    ...{ url, instance, timeoutMs, giveUpMs, host },
    ...{ isNeeded, onLost: fail, onUnreadable },
  });
  const board = byMail(connected, { agent: agentName, host, timeoutMs });
  const registration = await loadOwnRegistration(board, settings);
  const workingCopy = await workingCopyOf(
    settings,
    process.env.PATH,
    needsWorkers(registration.current),
  );
  const cwd = workingCopy === undefined ? process.cwd() : settings.workspaceDir;
  const model = settings.model && {
    ...settings.model,
    gatewayUrl: await gatewayUrlFor(settings.model.gatewayUrl, secrets),
  };
  const egressUrl = settings.egressUrl && (await reachable(settings.egressUrl));
  const { bidCommand, commandEnvironment, promptClaim: prompt = "" } = settings;
  // The agent's `environment` and its image come before its own identity.
  const ofAgent = toolEnvironment(process.env, registration.current.role, commandEnvironment);
  const env = { ...ownIdentity(agentName), ...ofAgent, ...proxyVariables(egressUrl) };
  const isWorker = isPrompt(settings);
  const [, script = ""] = process.argv;
  const command = isWorker
    ? workerCommand({ execPath: process.execPath, script, isWholeProgram: import.meta.main })
    : settings.command;
  const envOfTool = () => {
    const { timeout_ms, workspace_mode } = registration.current;
    const work = {
      timeoutMs: timeout_ms,
      workspaceMode: workspace_mode,
      onBudget: settings.onBudget,
      git: settings.git,
    };
    return isWorker ? { ...env, ...workerVariables(process.env, work) } : env;
  };
  const now = systemClock.passedMs;
  const slate = new CleanSlate(log);
  const limits = toolLimits(settings, slate, workingCopy);
  const watch = {
    watcher: new LoopWatch("claim watcher", now),
    executor: new LoopWatch("work executor", now),
  };
  // As long as it does not work, every grant fails.
  const tidy = async (step: "begin" | "tidy") => {
    await workingCopy?.exchange[step]().catch((error: unknown) => {
      watch.executor.noteTrouble(
        `The agent's folder of the exchange cannot be emptied: ${messageOf(error)}`,
      );
      throw error;
    });
    watch.executor.noteTrouble(undefined);
  };
  const bidLimits = {
    timeoutMs: bidTimeoutMs,
    killAfterMs: 1_000,
    maxOutputBytes: maxBidOutputBytes,
  };
  return {
    board,
    registration,
    workingCopy,
    contextBytes: settings.contextBytes,
    grantLeaseMs: settings.grantLeaseMs,
    model,
    secrets,
    network: hasNetwork() ? undefined : { hasProxy: egressUrl !== undefined },
    askModel:
      model === undefined || prompt === "" ? undefined : modelAsker({ board, model, prompt }),
    command,
    isWorker,
    runTool: async ({ variables, traceparent, ...order }) => {
      const envOfRun = {
        ...withTrace(withModel(envOfTool(), variables), traceparent),
        ...secrets?.variables(),
      };
      const run = (signal: AbortSignal) =>
        slate.run((onStart) =>
          runCommand({ ...order, signal, command, cwd, env: envOfRun, onStart }),
        );
      const outcome = await (limits === undefined
        ? run(order.signal)
        : limits.run(order.signal, run));
      // Processes that it has left must not change the repository while its commit is read and
      // published.
      await slate.end();
      return outcome;
    },
    limits,
    isInContainer: process.pid === 1,
    clear: async () => {
      await slate.begin(async () => await limits?.makeRoom(settings.keepsIgnored));
      await tidy("begin");
    },
    wipe: async () => {
      await slate.wipe();
      const warn = (error: unknown) =>
        log.warn("Could not tidy the agent's folder of the exchange", { error: messageOf(error) });
      await tidy("tidy").catch(warn);
    },
    unfit: () => slate.problem,
    // Never from the blackboard, where others might write it.
    runBidCommand:
      bidCommand &&
      (async (order) => {
        using _ = secrets?.hold();
        const run = (signal: AbortSignal) =>
          slate.runBeside(
            (folder, onStart) => {
              const own = folder === undefined ? env : bidEnvironment(env, folder);
              return runCommand({
                ...order,
                signal,
                command: bidCommand,
                cwd: process.cwd(),
                env: own,
                onStart,
                ...bidLimits,
              });
            },
            async () => await limits?.makeRoom(),
          );
        const outcome = await (limits === undefined
          ? run(order.signal)
          : limits.runBid(order.signal, run));
        return secrets === undefined
          ? outcome
          : withoutSecrets(outcome, secrets.masker(), ["stderr"]);
      }),
    ownProcess: readOwnProcess(),
    clock: systemClock,
    newId: randomUUID,
    log,
    metrics: (await import("./program/metrics.ts")).createCubMetrics(),
    watch,
  };
}

/** Returns the address at which its commands reach the gateway. */
async function gatewayUrlFor(url: string, secrets: Secrets | undefined): Promise<string> {
  const direct = await reachable(url);
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

function fail(error: unknown): never {
  const { text, exitCode } = describeFatalError("cub", error);
  console.error(text);
  process.exit(exitCode);
}

await main(process.argv.slice(2)).catch(fail);
