// What a decision about a claim is made from, and what it comes to.
import type { RegisteredAgent } from "../model/agent.ts";
import type { Artefact } from "../model/artefact.ts";
import type { BidWord } from "../model/bid.ts";
import type { ClaimSnapshot, Grant } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import type { Phase } from "../model/phase.ts";
import type { Policy } from "../model/policy.ts";
import type { FollowUp } from "./feedback.ts";
import type { FailedGrant, QueuedGrant } from "./retry.ts";
import type { Verdict } from "./review-verdict.ts";

/** What happened to the claim. `progress`: its bids or grants have changed, which the snapshot already shows. */
export type ClaimEvent =
  | { kind: "progress" }
  | { kind: "bid_deadline" }
  | { kind: "lease_lapsed"; agent: AgentName; attempt: number }
  | { kind: "attempt_due"; agent: AgentName; attempt: number }
  /** Whoever ran it is known to be gone, or never came to be. */
  | { kind: "worker_lost"; agent: AgentName; attempt: number; reason: string }
  | { kind: "goal_ended"; reason: string }
  /** The question that one of its grants waits for has its answer. */
  | { kind: "answered"; question: ArtefactId; answer: ArtefactId }
  /** Of a clarification: nobody needs its answer any more. */
  | { kind: "question_closed"; reason: string }
  | { kind: "agent_removed"; agent: AgentName }
  /** It has given no sign of life for so long. */
  | { kind: "agent_silent"; agent: AgentName; forMs: number };

/** What a decision looks at in the artefact that the claim is about. */
export type Target = Pick<Artefact, "id" | "type" | "version" | "produced_by_role" | "produced_by_agent">;

/** All that a decision depends on. `at` and `failureId` are used for what the decision brings into being. */
export type DecisionInput = ClaimSnapshot & {
  target: Target;
  /** What the review grants that are done have come to; needed while the claim is in review. */
  reviews: readonly Verdict[];
  agents: readonly RegisteredAgent[];
  policy: Policy;
  /** Nobody is granted anything new while the instance is paused. */
  isPaused: boolean;
  at: string;
  failureId: ArtefactId;
};

export type ClaimWrite =
  | { kind: "bid"; agent: AgentName; word: BidWord }
  | { kind: "close_bidding" }
  | { kind: "enter"; phase: Phase; grants: Grant[] }
  | { kind: "end_grant"; grant: Grant }
  | { kind: "retry_later"; grant: FailedGrant; afterMs: number }
  | { kind: "retry"; grant: QueuedGrant }
  | { kind: "resume"; grant: QueuedGrant }
  /** Whoever asked does not wait for the answer any more. */
  | { kind: "close_question"; question: ArtefactId; reason: string }
  | { kind: "fail"; failure: FailureNote }
  | { kind: "follow_up"; followUp: FollowUp }
  | { kind: "complete" }
  | { kind: "terminate"; reason: string };

/** A Failure artefact to be posted by the orchestrator. */
export type FailureNote = { id: ArtefactId; type: string; reason: string; sources: ArtefactId[]; agent?: AgentName };

export type Decision = ClaimSnapshot & { writes: ClaimWrite[] };
