// Makes what a cub and an orchestrator depend on, as in their programs, but for what a test
// decides.
import { randomUUID } from "node:crypto";
import type { Deps as CubDeps } from "../../../apps/cub/program/deps.ts";
import { LoopWatch } from "../../../apps/cub/program/loop-watch.ts";
import { createCubMetrics } from "../../../apps/cub/program/metrics.ts";
import type { Deps as LeaderDeps } from "../../../apps/orchestrator/leader/deps.ts";
import { createOrchestratorMetrics } from "../../../apps/orchestrator/leader/metrics.ts";
import type { CandidateDeps } from "../../../apps/orchestrator/orchestrator.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { lead } from "../../../lib/blackboard/port/leading.ts";
import { grantLeaseMs } from "../../../lib/model/leases.ts";
import { defaultPolicy } from "../../../lib/model/policy.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";

const common = { clock: systemClock, newId: randomUUID };
const silent = createJsonLog(() => {}, systemClock.now);

export function cubDeps(
  overrides: Pick<CubDeps, "board" | "registration" | "runTool"> & Partial<CubDeps>,
): CubDeps {
  return {
    ...common,
    log: silent,
    command: ["/app/run.sh"],
    workingCopy: undefined,
    grantLeaseMs,
    metrics: createCubMetrics(),
    watch: {
      watcher: new LoopWatch("claim watcher", Date.now),
      executor: new LoopWatch("work executor", Date.now),
    },
    ...overrides,
  };
}

type Overrides = Pick<CandidateDeps, "board"> & Partial<CandidateDeps>;

export function orchestratorDeps(overrides: Overrides): CandidateDeps {
  return {
    ...common,
    log: silent,
    policy: defaultPolicy,
    holder: "test",
    metrics: createOrchestratorMetrics(),
    ...overrides,
  };
}

/** Makes the dependencies of a leader in this epoch. */
export function leaderDeps(epoch: number, overrides: Overrides): LeaderDeps {
  return { ...orchestratorDeps(overrides), board: lead(overrides.board, epoch) };
}
