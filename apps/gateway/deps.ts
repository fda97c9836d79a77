// The dependencies of the gateway. All of them are passed in, so that a test can pass its own.
import type { After } from "../../lib/async/after.ts";
import type { Clock } from "../../lib/async/clock.ts";
import type { GatewayBlackboard } from "../../lib/blackboard/port/holders.ts";
import type { Budget } from "../../lib/model/budget.ts";
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { SpendingLimits } from "../../lib/model/spending.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { BodyStore } from "./body-store.ts";
import type { KeyFolder } from "./keys.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { AgentModel, CassetteFolder } from "./settings.ts";
import type { Upstream } from "./upstream.ts";

export type Deps = {
  board: GatewayBlackboard;
  /** By their names in sett.yml. */
  models: ReadonlyMap<string, ModelSettings>;
  agents: ReadonlyMap<string, AgentModel>;
  goalBudget: Budget;
  /** Undefined where no day and no month has a limit. */
  spendingLimits?: SpendingLimits | undefined;
  /** Whether calls are recorded in, or answered from, a folder. */
  cassette?: CassetteFolder | undefined;
  keys: KeyFolder;
  bodies: BodyStore;
  upstream: Upstream;
  metrics: GatewayMetrics;
  log: JsonLog;
  clock: Clock;
  /** It ends calls whose provider is silent. */
  after: After;
  newId: () => string;
  limits: Limits;
};

/** Bytes and milliseconds. */
export type Limits = {
  maxRequestBytes: number;
  /** The requests of all calls together. */
  maxHeldBytes: number;
  maxAnswerBytes: number;
  /** How long a reservation outlives its last renewal. */
  leaseMs: number;
  /** How often reservations are renewed. */
  tickMs: number;
};

export const defaultLimits: Limits = {
  maxRequestBytes: 32 * 1024 * 1024,
  maxHeldBytes: 256 * 1024 * 1024,
  maxAnswerBytes: 64 * 1024 * 1024,
  leaseMs: 15_000,
  tickMs: 2_500,
};
