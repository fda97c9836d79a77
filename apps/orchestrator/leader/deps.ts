// The dependencies of a leader, for as long as it leads. All of them are passed in, so that a test
// can pass its own.

import type { Clock } from "../../../lib/async/clock.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { Hook } from "../../../lib/model/notify.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { OrchestratorMetrics } from "./metrics.ts";

export type Deps = {
  board: LeaderBlackboard;
  policy: Policy;
  holder: string;
  /** The log says which version has decided. */
  version?: string;
  /** It is a pod, as its agents are: a cluster may end them at any time. */
  isInCluster?: boolean;
  clock: Clock;
  newId: () => string;
  log: JsonLog;
  metrics: OrchestratorMetrics;
  /**
   * The webhooks that are notified of what waits for a person and of how goals end. `timeoutMs`:
   * for one try.
   */
  notify?: { hooks: readonly Hook[]; timeoutMs?: number };
};
