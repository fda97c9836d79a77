// The dependencies of the orchestrator. All of them are passed in, so that a test can pass its own.

import type { Clock } from "../../../lib/async/clock.ts";
import type { CandidateBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { Hook } from "../../../lib/model/notify.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { WorkerHost } from "../workers/worker-host.ts";
import type { Scale } from "../workers/worker-pool.ts";
import type { OrchestratorMetrics } from "./metrics.ts";

/** Of a process that may become the leader. */
export type CandidateDeps = {
  board: CandidateBlackboard;
  policy: Policy;
  holder: string;
  clock: Clock;
  newId: () => string;
  log: JsonLog;
  metrics: OrchestratorMetrics;
  /**
   * The webhooks that are notified of what waits for a person and of how goals end. `timeoutMs`:
   * for one try.
   */
  notify?: { hooks: readonly Hook[]; timeoutMs?: number };
  /** For agents that work in containers of their own for each grant. */
  workers?: { host: WorkerHost; scales: readonly Scale[] };
};

/** Of the leader, for as long as it leads. */
export type Deps = Omit<CandidateDeps, "board"> & { board: LeaderBlackboard };
