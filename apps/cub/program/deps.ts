// The cub's dependencies: all of them come in through this object, so that a test or a benchmark
// can pass its own.

import type { Clock } from "../../../lib/async/clock.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import type { ProcessMark } from "../../../lib/model/claim.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { AskModel } from "../bid/ask-model.ts";
import type { ToolLimits } from "../container/tool-limits.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ModelAccess } from "../tool/model-access.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { CubMetrics } from "./metrics.ts";
import type { OwnRegistration } from "./own-registration.ts";

export type Deps = {
  board: AgentBlackboard;
  registration: OwnRegistration;
  runTool: RunTool;
  /**
   * Ends and removes what bid commands have left behind, before a grant begins. Rejects, with a
   * sentence, where something stays.
   */
  clear?: (() => Promise<void>) | undefined;
  /** Ends and removes what the grant's commands have left behind. Never rejects. */
  wipe?: (() => Promise<void>) | undefined;
  /** Why no work may begin in this container, which then starts again; undefined where it may. */
  unfit?: (() => string | undefined) | undefined;
  /** Limits what the cub writes to the disk; undefined where nothing limits it. */
  limits?: Pick<ToolLimits, "diskBytes" | "guard"> | undefined;
  /** The cub is process 1 of a container, of which `sett doctor` knows more. */
  isInContainer?: boolean | undefined;
  /** The log names the command that `runTool` runs. */
  command: readonly string[];
  /** It is Sett's own worker, and no command of the agent's. */
  isWorker?: boolean | undefined;
  /** Decides bids; undefined for an agent without `bid_command`. */
  runBidCommand?: RunBidCommand | undefined;
  /** The limit of the context that the tool gets beside its target. */
  contextBytes?: number | undefined;
  /** How long the lease of a grant lasts without a renewal. */
  grantLeaseMs: number;
  /** Undefined where there is no repository to work in. */
  workingCopy: WorkingCopy | undefined;
  /** How its commands ask its model; undefined for an agent without one. */
  model?: ModelAccess | undefined;
  /** Undefined where its commands have a network. `hasProxy`: they reach some hosts by a proxy. */
  network?: { hasProxy: boolean } | undefined;
  /** Undefined for an agent without secrets. */
  secrets?: Secrets | undefined;
  /** Decides bids by `prompts.claim`; undefined without a prompt or without a model. */
  askModel?: AskModel | undefined;
  /** Undefined where the system cannot tell this process from others. */
  ownProcess?: ProcessMark | undefined;
  clock: Clock;
  /** Makes UUIDs, version 4. */
  newId: () => string;
  log: JsonLog;
  metrics: CubMetrics;
  watch: { watcher: LoopWatch; executor: LoopWatch };
};

/**
 * Runs the agent's command on its input (the tool contract's JSON). Aborting the signal kills it.
 * `variables`: those of this run, beside those of every run.
 */
export type RunTool = (order: {
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  variables?: Readonly<Record<string, string>>;
  /** The command's own traces become parts of this run's (lib/model/trace-ids.ts). */
  traceparent?: string;
}) => Promise<RunOutcome>;

/** `over_limit`: `reason` is a sentence that says which limit was exceeded. */
export type RunOutcome =
  | CommandOutcome
  | (Omit<Extract<CommandOutcome, { kind: "exited" }>, "kind"> & {
      kind: "over_limit";
      reason: string;
    });

export type RunBidCommand = (order: {
  stdin: string;
  signal: AbortSignal;
}) => Promise<CommandOutcome>;

/** The two signals that end the cub's work. */
export type StopSignals = {
  /** Start nothing new. */
  stop: AbortSignal;
  /** The time for the running work is over, too. */
  kill: AbortSignal;
};
