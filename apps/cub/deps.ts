// What the cub is made of; everything comes in through here, so that a test or a benchmark can bring its own.

import type { Clock } from "../../lib/async/clock.ts";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { WorkingCopy } from "../../lib/git/working-copy.ts";
import type { ProcessMark } from "../../lib/model/claim.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { CubMetrics } from "./metrics.ts";
import type { OwnRegistration } from "./own-registration.ts";

export type Deps = {
  board: Blackboard;
  registration: OwnRegistration;
  runTool: RunTool;
  /** What `runTool` runs, to be named in the log. */
  command: readonly string[];
  runBidCommand: RunBidCommand;
  /** How much it may be given to read beside its target. */
  contextBytes?: number | undefined;
  /** How long a grant is its own without being renewed. */
  grantLeaseMs: number;
  /** Undefined where there is no repository to work in. */
  workingCopy: WorkingCopy | undefined;
  /** Prompts without a model decide nothing. */
  hasClaimPrompt: boolean;
  /** Undefined where it cannot be told from others. */
  ownProcess?: ProcessMark | undefined;
  clock: Clock;
  /** Makes UUIDs, version 4. */
  newId: () => string;
  log: JsonLog;
  metrics: CubMetrics;
  watch: { watcher: LoopWatch; executor: LoopWatch };
};

/** Runs the agent's command on its input (the tool contract's JSON). Aborting the signal kills it. */
export type RunTool = (order: { stdin: string; timeoutMs: number; signal: AbortSignal }) => Promise<CommandOutcome>;

export type RunBidCommand = (order: {
  command: readonly string[];
  stdin: string;
  signal: AbortSignal;
}) => Promise<CommandOutcome>;

/** How the cub's work is asked to end. */
export type Ending = {
  /** Take nothing new. */
  stop: AbortSignal;
  /** The time for what is under way is up as well. */
  kill: AbortSignal;
};
