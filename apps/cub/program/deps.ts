// The cub's dependencies: all of them come in through this object, so that a test or a benchmark
// can pass its own.

import type { Clock } from "../../../lib/async/clock.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import type { ProcessMark } from "../../../lib/model/claim.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { LaneSettings } from "../../../lib/model/lane.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { CageProof } from "../container/cage.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Commands } from "../tool/commands.ts";
import type { ModelAccess } from "../tool/model-access.ts";
import type { OutputKeeper } from "../tool/output-keeper.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { CubMetrics } from "./metrics.ts";
import type { OwnRegistration } from "./own-registration.ts";

export type Deps = Commands & {
  board: AgentBlackboard;
  registration: OwnRegistration;
  /** The cub is process 1 of a container, of which `sett doctor` knows more. */
  isInContainer?: boolean | undefined;
  /** That container is one of a pod, which a cluster may end at any time. */
  isInCluster?: boolean | undefined;
  /** The limit of the context that the tool gets beside its target. */
  contextBytes?: number | undefined;
  /** How long the lease of a grant lasts without a renewal. */
  grantLeaseMs: number;
  /** Undefined where there is no repository to work in. */
  workingCopy: WorkingCopy | undefined;
  /** It merges onto this lane; undefined for any other agent. */
  lane?: LaneSettings | undefined;
  /** How its commands ask its model; undefined for an agent without one. */
  model?: ModelAccess | undefined;
  /** Undefined where its commands have a network. `hasProxy`: they reach some hosts by a proxy. */
  network?: { hasProxy: boolean } | undefined;
  /** Whether its container confines its commands; undefined where nothing should. */
  cage?: Pick<CageProof, "problem" | "prove" | "untilProven"> | undefined;
  /** Undefined for an agent without secrets. */
  secrets?: Secrets | undefined;
  /** Decides bids by `prompts.claim`; undefined without a prompt or without a model. */
  askModel?: AskModel | undefined;
  /** Undefined where the system cannot tell this process from others. */
  ownProcess?: ProcessMark | undefined;
  /** Keeps what its commands print; undefined where nothing does. */
  outputs?: OutputKeeper | undefined;
  clock: Clock;
  /** Makes UUIDs, version 4. */
  newId: () => string;
  log: JsonLog;
  metrics: CubMetrics;
  watch: { watcher: LoopWatch; executor: LoopWatch };
};

/**
 * The model is asked about this claim. `markProgress` is called often while the question is under
 * way.
 */
export type BidOrder = {
  claim: ClaimId;
  artefact: ArtefactId;
  agent: { name: AgentName; role: string };
  stop: AbortSignal;
  log: JsonLog;
  markProgress: () => void;
};

/**
 * `isAsked`: the word is the model's own. Otherwise the word is `ignore`, and the reason says why
 * there is no answer.
 */
export type ModelBid = { word: BidWord; reason: string; isAsked: boolean };

/** Undefined only when `stop` came in between. Rejects only for what the blackboard rejects. */
export type AskModel = (order: BidOrder) => Promise<ModelBid | undefined>;

/** The two signals that end the cub's work. */
export type StopSignals = {
  /** Start nothing new. */
  stop: AbortSignal;
  /** The time for the running work is over, too. */
  kill: AbortSignal;
};
