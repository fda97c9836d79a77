// The input and the result of a decision about a claim.
import type { RegisteredAgent } from "../model/agent.ts";
import type { Artefact } from "../model/artefact.ts";
import type { Bid, BidWord, ReviewAfter } from "../model/bid.ts";
import type { ChangedPaths } from "../model/changed-paths.ts";
import type { ClaimSnapshot, Grant, WaitingGrant } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import type { Phase } from "../model/phase.ts";
import type { Policy } from "../model/policy.ts";
import type { Involved } from "../model/quorum.ts";
import type { FollowUp } from "./follow-up.ts";
import type { Presence, Rivals } from "./presence.ts";
import type { CancelledGrant, FailedGrant, QueuedGrant } from "./retry.ts";
import type { Verdict } from "./review-verdict.ts";

/**
 * An event says what happened to the claim. `progress`: its bids or grants have changed, which the
 * snapshot already shows.
 */
export type ClaimEvent =
  | { kind: "progress" }
  | { kind: "bid_deadline" }
  /** These agents are asked for their bids, and have given no sign of life for some time. */
  | { kind: "bidders_silent"; agents: readonly AgentName[] }
  | { kind: "lease_lapsed"; agent: AgentName; attempt: number }
  /** The same in a cluster, where nodes come and go. */
  | { kind: "pod_silent"; agent: AgentName; attempt: number }
  | { kind: "attempt_due"; agent: AgentName; attempt: number }
  /** The worker that ran the attempt has ended, or could not be started. */
  | { kind: "worker_lost"; agent: AgentName; attempt: number; reason: string }
  /** The cluster has ended that worker. */
  | { kind: "worker_disrupted"; agent: AgentName; attempt: number; reason: string }
  /** The attempt's result was refused: Redis has lost an artefact that it was made from. */
  | { kind: "source_lost"; agent: AgentName; attempt: number }
  | { kind: "goal_ended"; reason: string }
  /** A person has posted another version in the place of what the claim is about. */
  | { kind: "superseded"; reason: string }
  /** The question that one of its grants waits for has its answer. */
  | { kind: "answered"; question: ArtefactId; answer: ArtefactId }
  /** The question of a clarification needs no answer any more. */
  | { kind: "question_closed"; reason: string }
  | { kind: "agent_removed"; agent: AgentName }
  /** The agent has given no sign of life for so long. */
  | { kind: "agent_silent"; agent: AgentName; forMs: number }
  /**
   * The agent's queued grant has not begun for so long, and another agent that has bid the same
   * seems to be idle.
   */
  | { kind: "grant_waits"; agent: AgentName; forMs: number };

/**
 * A decision needs this of the artefact that the claim is about. `paths`: the files that its whole
 * change touches; undefined where no rule needs them, or where they are not known. `involved`: as
 * far as a rule needs them.
 */
export type Target = Pick<
  Artefact,
  "id" | "type" | "version" | "produced_by_role" | "produced_by_agent"
> & { paths?: ChangedPaths | undefined; involved?: Involved | undefined };

/**
 * All that a decision depends on. `at` and `failureId` are used for the records that the decision
 * creates.
 */
export type DecisionInput = ClaimSnapshot & {
  target: Target;
  /** The verdicts of the phase's grants that are done: of reviews, and of work sent back. */
  reviews: readonly Verdict[];
  agents: readonly RegisteredAgent[];
  /** The agents that are alive and idle are asked for only where several have bid `exclusive`. */
  presence: Presence;
  policy: Policy;
  /** While the instance is paused, or a budget holds the goal's work, nothing new is granted. */
  isPaused: boolean;
  /** A budget does: no agent can ask its model how to bid. */
  isHeld?: boolean;
  at: string;
  failureId: ArtefactId;
};

export type ClaimWrite =
  | { kind: "bid"; agent: AgentName; word: BidWord }
  /**
   * Agents have said these in advance: their own words. `missing`: how many agents have not bid
   * after them.
   */
  | { kind: "standing_bids"; bids: Bid[]; missing: number }
  | { kind: "close_bidding"; reviews_after?: ReviewAfter[] }
  /** The deadline comes again after this time: an agent still asks its model. */
  | { kind: "extend_bidding"; afterMs: number }
  /** `rivals`: where several agents have bid the same, and one of them is granted. */
  | { kind: "enter"; phase: Phase; grants: Grant[]; rivals?: Rivals }
  /** `from` ends, and its work is granted to another agent. */
  | { kind: "move"; from: CancelledGrant; grant: QueuedGrant; rivals: Rivals }
  | { kind: "end_grant"; grant: Grant }
  | { kind: "retry_later"; grant: FailedGrant; afterMs: number }
  | { kind: "retry"; grant: QueuedGrant }
  /** Another attempt, where none has failed. */
  | { kind: "resume"; grant: QueuedGrant | WaitingGrant }
  /** The grant that asked does not wait for the answer any more. */
  | { kind: "close_question"; question: ArtefactId; reason: string }
  | { kind: "fail"; failure: FailureNote }
  | { kind: "follow_up"; followUp: FollowUp }
  | { kind: "complete" }
  | { kind: "terminate"; reason: string };

/** A Failure artefact that the orchestrator posts. */
export type FailureNote = {
  id: ArtefactId;
  type: string;
  reason: string;
  sources: ArtefactId[];
  agent?: AgentName;
};

export type Decision = ClaimSnapshot & { writes: ClaimWrite[] };
