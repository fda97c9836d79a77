// The programs that ship, as their main.ts puts them together: only the blackboard's connection, the log and the tools are of the simulation.
import { Cub } from "../../apps/cub/cub.ts";
import { LoopWatch } from "../../apps/cub/loop-watch.ts";
import { createCubMetrics } from "../../apps/cub/metrics.ts";
import { loadOwnRegistration } from "../../apps/cub/own-registration.ts";
import { createOrchestratorMetrics } from "../../apps/orchestrator/metrics.ts";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { byMail } from "../../lib/blackboard/by-mail.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Policy } from "../../lib/model/policy.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { connectSimulated } from "./simulated-board.ts";
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
};

export function orchestratorProgram({ redis, newId, logOf, grantLeaseMs }: Site, holder: string, policy: Policy): Main {
  return async ({ stop, exit }) => {
    const log = logOf(`orchestrator ${holder}`);
    const board = await connectSimulated(redis, { giveUpMs, onLost: exit });
    const deps = { board, policy, holder, clock: systemClock, newId, log, metrics: orchestratorMetrics };
    await new Orchestrator(deps, { grantLeaseMs }).run(stop);
    await board[Symbol.asyncDispose]();
  };
}

/** `container`: where it runs, so that its next process there knows that this one has ended. */
export function cubProgram(
  { redis, newId, logOf, grantLeaseMs }: Site,
  { name, role, replicas, strategy }: AgentRegistration,
  tool: PlayedTool,
  container: string,
): Main {
  let starts = 0;
  return async ({ stop, exit }) => {
    starts += 1;
    const log = logOf(name);
    let holdsWork = () => false;
    const connected = await connectSimulated(redis, { giveUpMs, isNeeded: () => holdsWork(), onLost: exit });
    const board = byMail(connected, { agent: name });
    const own = { agentName: name, role, replicas, strategy, bidCommand: undefined, promptClaim: undefined, model: undefined };
    const deps = {
      board,
      registration: await loadOwnRegistration(board, own),
      runTool: tool.run,
      command: ["/app/run.sh"],
      runBidCommand: tool.bid,
      grantLeaseMs,
      workingCopy: undefined,
      ownProcess: { pid: 1, born: `${starts}@boot`, namespace: `pid:[${starts}]`, container },
      clock: systemClock,
      newId,
      log,
      metrics: cubMetrics,
      watch: {
        watcher: new LoopWatch("claim watcher", systemClock.passedMs),
        executor: new LoopWatch("work executor", systemClock.passedMs),
      },
    };
    const cub = new Cub(deps, { shutdownTimeoutMs });
    holdsWork = () => cub.holdsWork;
    await cub.run(stop);
    await board[Symbol.asyncDispose]();
  };
}
