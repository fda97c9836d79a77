// The programs that ship, as their main.ts puts them together: only the blackboard's connection,
// the log and the tools are of the simulation.
import { Cub } from "../../apps/cub/cub.ts";
import type { Deps } from "../../apps/cub/program/deps.ts";
import { LoopWatch } from "../../apps/cub/program/loop-watch.ts";
import { createCubMetrics } from "../../apps/cub/program/metrics.ts";
import { loadOwnRegistration } from "../../apps/cub/program/own-registration.ts";
import { executeClaim } from "../../apps/cub/work/execute-claim.ts";
import { createOrchestratorMetrics } from "../../apps/orchestrator/leader/metrics.ts";
import type { CandidateDeps } from "../../apps/orchestrator/orchestrator.ts";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { byMail } from "../../lib/blackboard/mail/by-mail.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { ProcessMark } from "../../lib/model/claim.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import type { Policy } from "../../lib/model/policy.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { connectSimulated } from "./simulated-board.ts";
import type { WorkerMain } from "./simulated-engine.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
import type { Main } from "./supervised.ts";
import type { PlayedTool } from "./tools.ts";

/** As SETT_REDIS_GIVE_UP is by default. */
const giveUpMs = 60_000;
const shutdownTimeoutMs = 2_000;

/** Nothing is decided by them, and they are slow to make. */
const orchestratorMetrics = createOrchestratorMetrics();
const cubMetrics = createCubMetrics();

export type Site = {
  redis: SimulatedRedis;
  newId: () => string;
  logOf: (program: string) => JsonLog;
  grantLeaseMs: number;
  /** The host of these agents' workers. */
  workers: NonNullable<CandidateDeps["workers"]>;
  isInCluster: boolean;
};

export function orchestratorProgram(site: Site, holder: string, policy: Policy): Main {
  const { redis, newId, logOf, grantLeaseMs, workers, isInCluster } = site;
  return async ({ stop, exit }) => {
    const log = logOf(`orchestrator ${holder}`);
    const board = await connectSimulated(redis, { giveUpMs, onLost: exit });
    const deps = {
      board,
      policy,
      holder,
      clock: systemClock,
      newId,
      log,
      metrics: orchestratorMetrics,
      workers,
      isInCluster,
    };
    await new Orchestrator(deps, { grantLeaseMs }).run(stop);
    await board[Symbol.asyncDispose]();
  };
}

/** `container`: where it runs, so that its next process there knows that this one has ended. */
export function cubProgram(
  site: Site,
  registration: AgentRegistration,
  tool: PlayedTool,
  container: string,
): Main {
  let starts = 0;
  return async ({ stop, exit }) => {
    starts += 1;
    let holdsWork = () => false;
    const own = { pid: 1, born: `${starts}@boot`, namespace: `pid:[${starts}]`, container };
    const deps = await depsOf(site, registration, tool, own, {
      isNeeded: () => holdsWork(),
      onLost: exit,
    });
    const cub = new Cub(deps, { shutdownTimeoutMs });
    holdsWork = () => cub.holdsWork;
    await cub.run(stop);
    await deps.board[Symbol.asyncDispose]();
  };
}

/** One grant of an agent with workers, in a container of its own. */
export function workerProgram(
  site: Site,
  registration: AgentRegistration,
  tool: PlayedTool,
  { claim, attempt, container }: { claim: ClaimId; attempt: number; container: string },
): WorkerMain {
  return async (exit) => {
    let holdsWork = false;
    const own = { pid: 1, born: "1@boot", namespace: "pid:[1]", container };
    const deps = await depsOf(site, registration, tool, own, {
      isNeeded: () => holdsWork,
      onLost: exit,
    });
    const onBegin = () => {
      holdsWork = true;
    };
    const never = new AbortController().signal;
    const exitCode = await executeClaim(
      deps,
      claim,
      attempt,
      { stop: never, kill: never },
      onBegin,
    );
    await deps.board[Symbol.asyncDispose]();
    return exitCode;
  };
}

async function depsOf(
  { redis, newId, logOf, grantLeaseMs }: Site,
  { name, role, replicas, strategy }: AgentRegistration,
  tool: PlayedTool,
  ownProcess: ProcessMark,
  contact: { isNeeded: () => boolean; onLost: (error: unknown) => void },
): Promise<Deps> {
  const board = byMail(await connectSimulated(redis, { giveUpMs, ...contact }), { agent: name });
  const own = {
    agentName: name,
    role,
    replicas,
    strategy,
    bidCommand: undefined,
    promptClaim: undefined,
    model: undefined,
  };
  return {
    board,
    registration: await loadOwnRegistration(board, own),
    runTool: tool.run,
    command: ["/app/run.sh"],
    runBidCommand: tool.bid,
    grantLeaseMs,
    workingCopy: undefined,
    ownProcess,
    clock: systemClock,
    newId,
    log: logOf(name),
    metrics: cubMetrics,
    watch: {
      watcher: new LoopWatch("claim watcher", systemClock.passedMs),
      executor: new LoopWatch("work executor", systemClock.passedMs),
    },
  };
}
