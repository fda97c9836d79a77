// The claim as a pure state machine (DESIGN §5): no clock, no ids of its own, no I/O.
//
//   pending_review ──bids in──▶ review ──all approve──▶ pending_parallel ──all done──▶ pending_exclusive ──done──▶ complete
//        │                        │ feedback                 │ a grant failed                │ a grant failed
//        └────────────────────────┴──────────────▶ terminated ◀┴───────────────────────────────┘
//
// A phase that nobody bid for is passed through. What is decided on is the claim as it stands, so deciding twice is harmless.
import type { AgentRegistration } from "../model/agent.ts";
import type { Artefact } from "../model/artefact.ts";
import type { BidWord } from "../model/bid.ts";
import { type ClaimSnapshot, type Grant, isEnded, type Phase } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import type { Policy } from "../model/policy.ts";
import { unreachable } from "../model/unreachable.ts";
import { cancelGrants } from "./cancel-grants.ts";
import { Draft, statusOfPhase } from "./claim-draft.ts";
import { isBiddingOver, missingBidders } from "./consensus.ts";
import { bidByRules } from "./decide-bid.ts";
import { type FollowUp, followUpOnFeedback } from "./feedback.ts";
import { attemptLostType, type FailedGrant, nextAttempt, type QueuedGrant, retryAfterMs } from "./retry.ts";
import { isApproval } from "./review-verdict.ts";

/** What happened to the claim. `progress`: its bids or grants have changed, which the snapshot already shows. */
export type ClaimEvent =
  | { kind: "progress" }
  | { kind: "bid_deadline" }
  | { kind: "lease_lapsed"; agent: AgentName; attempt: number }
  | { kind: "attempt_due"; agent: AgentName; attempt: number }
  /** Whoever ran it is known to be gone, or never came to be. */
  | { kind: "worker_lost"; agent: AgentName; attempt: number; reason: string }
  | { kind: "goal_ended"; reason: string }
  | { kind: "agent_removed"; agent: AgentName };

/** What a decision looks at in the artefact that the claim is about. */
export type Target = Pick<Artefact, "id" | "type" | "version" | "produced_by_role" | "produced_by_agent">;

/** All that a decision depends on. `at` and `failureId` are used for what the decision brings into being. */
export type DecisionInput = ClaimSnapshot & {
  target: Target;
  /** Results of the review grants that are done; needed while the claim is in review. */
  reviews: readonly Artefact[];
  agents: readonly AgentRegistration[];
  policy: Policy;
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
  | { kind: "fail"; failure: FailureNote }
  | { kind: "follow_up"; followUp: FollowUp }
  | { kind: "complete" }
  | { kind: "terminate"; reason: string };

/** A Failure artefact to be posted by the orchestrator. */
export type FailureNote = { id: ArtefactId; type: string; reason: string; sources: ArtefactId[]; agent?: AgentName };

export type Decision = ClaimSnapshot & { writes: ClaimWrite[] };

const phases: readonly Phase[] = ["review", "parallel", "exclusive"];
const wordOfPhase = { review: "review", parallel: "claim", exclusive: "exclusive" } as const;

/** The claim as it stands after `event`, with what must be written; undefined when there is nothing to write. */
export function decideClaim(input: DecisionInput, event: ClaimEvent): Decision | undefined {
  if (isEnded(input.claim.status)) return undefined;
  const draft = new Draft(input);
  take(draft, event);
  if (!isEnded(draft.claim.status)) advance(draft);
  if (!isEnded(draft.claim.status)) failRemoved(draft);
  return draft.writes.length === 0 ? undefined : { claim: draft.claim, grants: draft.grants, writes: draft.writes };
}

function take(draft: Draft, event: ClaimEvent): void {
  switch (event.kind) {
    case "progress":
      return;
    case "bid_deadline":
      return imposeMissingBids(draft);
    case "lease_lapsed":
      return loseRunning(draft, event.agent, event.attempt);
    case "worker_lost":
      return loseAttempt(draft, event.agent, event.attempt, `${event.reason} Attempt ${event.attempt} is lost.`);
    case "attempt_due":
      return tryAgain(draft, event.agent, event.attempt);
    case "goal_ended":
      return terminate(draft, event.reason);
    case "agent_removed":
      return removeAgent(draft, event.agent);
    default:
      unreachable(event);
  }
}

/** A silent agent must not stop the others: its rules speak for it. One without rules is waited for, unless it is set to be ignored. */
function imposeMissingBids(draft: Draft): void {
  if (draft.claim.bidding === "closed") return;
  for (const agent of missingBidders(draft.claim)) {
    const registration = draft.input.agents.find(({ name }) => name === agent);
    if (registration === undefined) draft.bid(agent, "ignore");
    else {
      const word =
        bidByRules(draft.input.target, registration) ?? (registration.on_missing_bid === "ignore" ? "ignore" : undefined);
      if (word !== undefined) draft.bid(agent, word);
    }
  }
}

function loseRunning(draft: Draft, agent: AgentName, attempt: number): void {
  const isRunning = draft.grants.some((one) => one.agent === agent && one.state === "running");
  const reason = `Agent ${agent} was not heard of for the whole of its lease; attempt ${attempt} is lost.`;
  if (isRunning) loseAttempt(draft, agent, attempt, reason);
}

function loseAttempt(draft: Draft, agent: AgentName, attempt: number, reason: string): void {
  const grant = draft.grants.find((one) => one.agent === agent);
  if (grant?.attempt === attempt && (grant.state === "queued" || grant.state === "running"))
    draft.fail(grant, attemptLostType, reason);
}

/** `attempt` is the one that failed. */
function tryAgain(draft: Draft, agent: AgentName, attempt: number): void {
  const grant = draft.grants.find((one) => one.agent === agent);
  if (grant?.state !== "failed" || grant.attempt !== attempt || grant.retry_at === undefined) return;
  const next = nextAttempt(grant, draft.input.at);
  draft.replace(next);
  draft.writes.push({ kind: "retry", grant: next });
}

/** Its missing bid becomes `ignore`, its running grant drains, its queued or waiting one, or one about to be tried again, fails. */
function removeAgent(draft: Draft, agent: AgentName): void {
  if (draft.claim.bidding === "open" && missingBidders(draft.claim).includes(agent)) draft.bid(agent, "ignore");
  const grant = draft.grants.find((one) => one.agent === agent);
  const isToBeRetried = grant?.state === "failed" && grant.retry_at !== undefined;
  if (grant === undefined || (grant.state !== "queued" && grant.state !== "waiting" && !isToBeRetried)) return;
  failAsRemoved(draft, grant);
}

/** Whoever was removed after it had bid does not come for the grant that its bid has won. */
function failRemoved(draft: Draft): void {
  const known = new Set(draft.input.agents.map(({ name }) => name));
  const grant = draft.grants.find(({ state, agent }) => state === "queued" && !known.has(agent));
  if (grant === undefined) return;
  failAsRemoved(draft, grant);
  advance(draft);
}

function failAsRemoved(draft: Draft, grant: Grant): void {
  draft.fail(grant, "AgentRemoved", `Agent ${grant.agent} was removed before it could do its work.`);
}

function advance(draft: Draft): void {
  for (const failed of draft.grants) {
    if (failed.state !== "failed" || failed.retry_at !== undefined) continue;
    const afterMs = retryAfterMs(failed, draft.input.agents);
    if (afterMs === undefined) return terminate(draft, `Agent ${failed.agent} failed: ${failed.reason}`);
    draft.retryLater(failed, afterMs);
  }
  if (draft.claim.bidding === "open") {
    const { target, agents, policy } = draft.input;
    if (!isBiddingOver(draft.claim, target, agents, policy)) return;
    for (const agent of missingBidders(draft.claim)) draft.bid(agent, "ignore");
    draft.closeBidding();
    if (enter(draft, phases)) return;
    return draft.complete();
  }
  const phase = phases.find((one) => statusOfPhase[one] === draft.claim.status);
  if (phase === undefined) return;
  const grants = draft.grants.filter((grant) => grant.phase === phase);
  if (!grants.every((grant) => grant.state === "done")) return;
  if (phase === "review" && !hearReviews(draft)) return;
  if (!enter(draft, phases.slice(phases.indexOf(phase) + 1))) draft.complete();
}

/** Enters the first of `candidates` that somebody bid for. */
function enter(draft: Draft, candidates: readonly Phase[]): boolean {
  for (const phase of candidates) {
    const bidders = draft.claim.bids.filter((bid) => bid.word === wordOfPhase[phase]).map((bid) => bid.agent);
    // Several may want it for themselves: the first bid wins, and the log shows the order.
    const chosen = phase === "exclusive" ? bidders.slice(0, 1) : bidders;
    if (chosen.length > 0) {
      draft.enter(phase, chosen);
      return true;
    }
  }
  return false;
}

/** True when every review approves; otherwise the claim ends here and the feedback goes back to whoever made the artefact. */
function hearReviews(draft: Draft): boolean {
  const rejecting = draft.input.reviews.filter((review) => !isApproval(review.payload));
  if (rejecting.length === 0) return true;
  const { target, agents, policy, failureId } = draft.input;
  draft.writes.push({ kind: "follow_up", followUp: followUpOnFeedback({ target, rejecting, agents, policy, failureId }) });
  terminate(draft, `Feedback from ${rejecting.map((review) => review.produced_by_agent).join(", ")}`);
  return false;
}

function terminate(draft: Draft, reason: string): void {
  for (const grant of cancelGrants(draft.grants, draft.input.at, reason)) draft.endGrant(grant);
  draft.claim = { ...draft.claim, status: "terminated", bidding: "closed", termination_reason: reason };
  draft.writes.push({ kind: "terminate", reason });
}
