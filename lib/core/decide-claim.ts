// The claim as a pure state machine (docs/internals/claims.md#the-state-machine): no clock, no ids
// of its own, no I/O.
//
// pending_review ──bids in──▶ review ──all approve──▶ pending_parallel ──all done──▶
// pending_exclusive ──done──▶ complete
//        │ feedback, or a grant failed, in any of the three
//        └──────────────▶ terminated
//
// A phase without bids is skipped. A decision is based on the stored claim, so deciding twice is
// harmless.

import type { RegisteredAgent } from "../model/agent.ts";
import { type Grant, isEnded, missingBidders, questionOf, wasMoved } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import { ofSame } from "../model/of-same.ts";
import {
  agentRemovedType,
  agentSilentType,
  attemptDisruptedType,
  attemptLostType,
} from "../model/own-types.ts";
import { type Phase, phaseOfStatus, phases, phasesAfter, phaseTable } from "../model/phase.ts";
import { unreachable } from "../model/unreachable.ts";
import { cancelGrants } from "./cancel-grants.ts";
import type { ClaimEvent, Decision, DecisionInput } from "./claim-decision.ts";
import { Draft } from "./claim-draft.ts";
import { isBiddingOver } from "./consensus.ts";
import { chosenAmong, moveGrant, rivalsAmong } from "./equal-bids.ts";
import { followUpOnFeedback, reworkByAnother, reworkerAfter } from "./feedback.ts";
import { imposeBidsOfSilent, imposeMissingBids } from "./missing-bids.ts";
import { isApproved } from "./quorum.ts";
import {
  type FailedGrant,
  nextAttempt,
  repeatedAttempt,
  resumedAttempt,
  retryAfterMs,
} from "./retry.ts";
import { firstReviewers, nextReviewers, reviewsAfter } from "./review-order.ts";
import { hasTool } from "./stand-in.ts";
import { placeStandingBids } from "./standing-bids.ts";
import { isHeard, isRejected, rejectingOf, withdrawReviews } from "./withdraw-reviews.ts";

/**
 * The claim after `event`, with the writes that lead there; undefined when there is nothing to
 * write.
 */
export function decideClaim(input: DecisionInput, event: ClaimEvent): Decision | undefined {
  if (isEnded(input.claim.status)) return undefined;
  const draft = new Draft(inOneOrder(input));
  if (draft.claim.bidding === "open" && !endsUnasked(event)) placeStandingBids(draft);
  // The claim must not fail by what the event says of a review that is not needed any more, such as
  // the removal of its agent.
  withdrawReviews(draft);
  askAgainWithoutQuorum(draft);
  applyEvent(draft, event);
  if (!isEnded(draft.claim.status) && mayAdvance(draft)) advance(draft);
  if (!isEnded(draft.claim.status)) failRemoved(draft);
  return draft.writes.length === 0
    ? undefined
    : { claim: draft.claim, grants: draft.grants, writes: draft.writes };
}

/**
 * The next step grants something, and waits for the end of a pause or for a registration that can
 * be read: no event of the claim will come.
 */
export function isHeldUp(input: DecisionInput): boolean {
  return !isEnded(input.claim.status) && !mayAdvance(new Draft(input));
}

/**
 * Grants and reviews by agent: the same decision follows from a claim that was read, was cached, or
 * is made again from the log.
 */
function inOneOrder(input: DecisionInput): DecisionInput {
  return { ...input, grants: byAgent(input.grants), reviews: byAgent(input.reviews) };
}

function byAgent<One extends { agent: string }>(list: readonly One[]): One[] {
  return list.toSorted((one, other) => (one.agent < other.agent ? -1 : 1));
}

/** A program that stores an approval has counted; it is not trusted to. */
function askAgainWithoutQuorum(draft: Draft): void {
  const { claim, input } = draft;
  if (claim.bidding === "open" || phaseOfStatus(claim.status) !== "review") return;
  for (const grant of draft.grants) {
    if (grant.state !== "done" || grant.phase !== "review") continue;
    const people = input.agents.find(({ name }) => name === grant.agent)?.people;
    if (!isApproved(grant, input.reviews, people)) draft.askAgain(grant);
  }
}

/** Nothing of the claim counts any more, so that no bid is noted either. */
function endsUnasked({ kind }: ClaimEvent): boolean {
  return kind === "goal_ended" || kind === "superseded";
}

function applyEvent(draft: Draft, event: ClaimEvent): void {
  switch (event.kind) {
    case "progress":
      return;
    case "bid_deadline":
      return imposeMissingBids(draft);
    case "bidders_silent":
      return imposeBidsOfSilent(draft, event.agents);
    case "lease_lapsed":
    case "pod_silent":
      return loseRunning(draft, event);
    case "worker_lost":
    case "worker_disrupted":
      return loseAttempt(
        draft,
        event.agent,
        event.attempt,
        `${event.reason} Attempt ${event.attempt} is lost.`,
        event.kind === "worker_lost" ? attemptLostType : attemptDisruptedType,
      );
    case "source_lost":
      return repeatAttempt(draft, event.agent, event.attempt);
    case "attempt_due":
      return retryAttempt(draft, event.agent, event.attempt);
    case "goal_ended":
    case "superseded":
    case "question_closed":
      return terminate(draft, event.reason);
    case "answered":
      return resume(draft, event.question, event.answer);
    case "agent_removed":
      return removeAgent(draft, event.agent);
    case "agent_silent":
      return failSilent(draft, event.agent, event.forMs);
    case "grant_waits":
      return moveGrant(draft, event.agent, event.forMs);
    default:
      unreachable(event);
  }
}

type Silent = Extract<ClaimEvent, { kind: "lease_lapsed" | "pod_silent" }>;

function loseRunning(draft: Draft, { kind, agent, attempt }: Silent): void {
  const isRunning = draft.grants.some((one) => one.agent === agent && one.state === "running");
  if (!isRunning) return;
  const [what, type] =
    kind === "pod_silent"
      ? ["its pod froze, or lost its node or its connection", attemptDisruptedType]
      : ["it crashed, froze or lost its connection", attemptLostType];
  const reason = `Agent ${agent} did not renew its lease (${what}): attempt ${attempt} is lost.`;
  loseAttempt(draft, agent, attempt, reason, type);
}

function loseAttempt(
  draft: Draft,
  agent: AgentName,
  attempt: number,
  reason: string,
  type = attemptLostType,
): void {
  const grant = draft.grants.find((one) => one.agent === agent);
  if (grant?.attempt === attempt && (grant.state === "queued" || grant.state === "running"))
    draft.fail(grant, type, reason);
}

/** `attempt` is the one that failed. */
function retryAttempt(draft: Draft, agent: AgentName, attempt: number): void {
  const grant = draft.grants.find((one) => one.agent === agent);
  if (
    grant?.state !== "failed" ||
    grant.attempt !== attempt ||
    grant.retry_at === undefined ||
    isRejected(draft)
  )
    return;
  const next = nextAttempt(grant, draft.input.at);
  draft.replace(next);
  draft.writes.push({ kind: "retry", grant: next });
}

/**
 * Queues the grant again, on what is there now. This does not count as a retry: the agent has not
 * failed.
 */
function repeatAttempt(draft: Draft, agent: AgentName, attempt: number): void {
  const running = draft.grants.find((one) => one.agent === agent);
  if (running?.state !== "running" || running.attempt !== attempt) return;
  const grant = repeatedAttempt(running, draft.input.at);
  draft.replace(grant);
  draft.writes.push({ kind: "resume", grant });
}

/**
 * Queues the grant again after its question was answered, with question and answer; that does not
 * count as a retry.
 */
function resume(draft: Draft, question: ArtefactId, answer: ArtefactId): void {
  const waiting = draft.grants.find((grant) => questionOf(grant) === question);
  if (waiting?.state !== "waiting") return;
  const grant = resumedAttempt(waiting, [question, answer], draft.input.at);
  draft.replace(grant);
  draft.writes.push({ kind: "resume", grant });
}

/**
 * The agent's missing bid becomes `ignore`. Its running grant goes on; a queued or waiting grant,
 * or one that waits for a retry, fails.
 */
function removeAgent(draft: Draft, agent: AgentName): void {
  if (draft.claim.bidding === "open" && missingBidders(draft.claim).includes(agent))
    draft.bid(agent, "ignore");
  const grant = draft.grants.find((one) => one.agent === agent);
  // An agent that is registered again by now makes its next attempt as planned: this one has failed
  // already.
  const isGone = !draft.input.agents.some(({ name }) => name === agent);
  const isToBeRetried = isGone && grant?.state === "failed" && grant.retry_at !== undefined;
  if (
    grant === undefined ||
    (grant.state !== "queued" && grant.state !== "waiting" && !isToBeRetried)
  )
    return;
  failAsRemoved(draft, grant);
}

/** An agent that was removed after it had bid will not accept the grant that it won. */
function failRemoved(draft: Draft): void {
  const known = namesOf(draft.input.agents);
  const grant = draft.grants.find(
    ({ state, agent }) => (state === "queued" || state === "waiting") && !known.has(agent),
  );
  if (grant === undefined) return;
  failAsRemoved(draft, grant);
  advance(draft);
}

const namesOf = ofSame(
  (agents: readonly RegisteredAgent[]) => new Set(agents.map(({ name }) => name)),
);

function failAsRemoved(draft: Draft, grant: Grant): void {
  draft.fail(
    grant,
    agentRemovedType,
    `Agent ${grant.agent} was removed before it could do its work.`,
  );
}

/** Only where another agent can do the work; otherwise the grant waits for this agent. */
function failSilent(draft: Draft, agent: AgentName, forMs: number): void {
  const { claim, input } = draft;
  const grant = draft.grants.find((one) => one.agent === agent);
  const registration = input.agents.find(({ name }) => name === agent);
  if (grant?.state !== "queued" || registration === undefined || !hasTool(registration)) return;
  const isReplaceable =
    claim.kind === "clarification" ||
    (claim.kind === "rework" && reworkerAfter(agent, input) !== undefined);
  const seconds = Math.round(forMs / 1_000);
  if (isReplaceable)
    draft.fail(
      grant,
      agentSilentType,
      `Agent ${agent} has given no sign of life for ${seconds} s.`,
    );
}

function advance(draft: Draft): void {
  for (const failed of draft.grants) {
    if (failed.state !== "failed" || failed.retry_at !== undefined) continue;
    // The registration says whether a retry is allowed.
    if (isUnreadable(draft, failed.agent)) return;
    const afterMs = retryAfterMs(failed, draft.input.agents);
    if (afterMs === undefined) return giveUp(draft, failed);
    draft.retryLater(failed, afterMs);
  }
  if (draft.claim.bidding === "open") {
    const { target, agents, policy } = draft.input;
    if (!isBiddingOver(draft.claim, target, agents, policy)) return;
    for (const agent of missingBidders(draft.claim)) draft.bid(agent, "ignore");
    draft.closeBidding(reviewsAfter(draft.claim.bids, target, agents));
    if (enter(draft, phases)) return;
    return draft.complete();
  }
  const phase = phaseOfStatus(draft.claim.status);
  if (phase === undefined) return;
  withdrawReviews(draft);
  if (phase === "review") askNextReviewers(draft);
  const grants = draft.grants.filter((grant) => grant.phase === phase && !wasMoved(grant));
  if (!grants.every((grant) => grant.state === "done" || (isRejected(draft) && isHeard(grant))))
    return;
  if (!settleVerdicts(draft)) return;
  if (!enter(draft, phasesAfter(phase))) draft.complete();
}

function giveUp(draft: Draft, failed: FailedGrant): void {
  const followUp = reworkByAnother(failed, draft.input);
  if (followUp !== undefined) draft.writes.push({ kind: "follow_up", followUp });
  terminate(draft, `Agent ${failed.agent} failed: ${failed.reason}`);
}

/**
 * While the instance is paused, claims may still end; only a step that grants something waits. So
 * does a grant for an agent whose registration cannot be read: if that agent is a person, the grant
 * would wait for a process that never starts.
 */
function mayAdvance(draft: Draft): boolean {
  const { isPaused, agents } = draft.input;
  if (!isPaused && areReadable(agents)) return true;
  const trial = new Draft({ ...draft.input, claim: draft.claim, grants: draft.grants });
  advance(trial);
  const granted = trial.writes.flatMap((write) => (write.kind === "enter" ? write.grants : []));
  return !granted.some(({ agent }) => isPaused || isUnreadable(draft, agent));
}

const areReadable = ofSame((agents: readonly RegisteredAgent[]) =>
  agents.every(({ unreadable }) => unreadable === undefined),
);

function isUnreadable({ input }: Draft, agent: AgentName): boolean {
  return input.agents.some(({ name, unreadable }) => name === agent && unreadable !== undefined);
}

/** Enters the first of `candidates` that an agent has bid for. */
function enter(draft: Draft, candidates: readonly Phase[]): boolean {
  for (const phase of candidates) {
    const all = draft.claim.bids
      .filter((bid) => bid.word === phaseTable[phase].bid)
      .map((bid) => bid.agent);
    const bidders = phase === "review" ? firstReviewers(all, draft.claim) : all;
    if (bidders.length === 0) continue;
    if (phase !== "exclusive" || bidders.length === 1) draft.enter(phase, bidders);
    else {
      const rivals = rivalsAmong(bidders, { ...draft.input, grants: draft.grants });
      const chosen = chosenAmong(rivals);
      draft.enter(phase, chosen === undefined ? [] : [chosen], rivals);
    }
    return true;
  }
  return false;
}

/**
 * Asks the reviewers whose turn has come. Those behind a review that rejects are never asked: no
 * time of a person, and no call of a model, is spent on what is lost already.
 */
function askNextReviewers(draft: Draft): void {
  if (isRejected(draft)) return;
  const next = nextReviewers(draft);
  if (next.length > 0) draft.enter("review", next);
}

/**
 * True where no review rejects, and no later work has sent the artefact back; otherwise terminates
 * the claim, and the feedback goes to the producer of the artefact.
 */
function settleVerdicts(draft: Draft): boolean {
  const rejecting = rejectingOf(draft);
  if (rejecting.length === 0) return true;
  const { target, agents, policy, failureId } = draft.input;
  const goal = draft.claim.goal_id;
  draft.writes.push({
    kind: "follow_up",
    followUp: followUpOnFeedback({ target, goal, rejecting, agents, policy, failureId }),
  });
  terminate(draft, `Feedback from ${rejecting.map(({ agent }) => agent).join(", ")}`);
  return false;
}

function terminate(draft: Draft, reason: string): void {
  for (const grant of cancelGrants(draft.grants, draft.input.at, reason)) draft.endGrant(grant);
  draft.claim = {
    ...draft.claim,
    status: "terminated",
    bidding: "closed",
    termination_reason: reason,
  };
  draft.writes.push({ kind: "terminate", reason });
}
