// Turns a decision into the one commit that writes it: fields, grants, Failures, new claims,
// wake-ups and events together.
import type { NewClaim } from "../../../lib/blackboard/port/blackboard.ts";
import type { LeaderCommit } from "../../../lib/blackboard/port/leading.ts";
import type { Decision, DecisionInput, FailureNote } from "../../../lib/core/claim-decision.ts";
import type { Rivals } from "../../../lib/core/equal-bids.ts";
import type { FollowUp, Rework } from "../../../lib/core/feedback.ts";
import { newThread, type Origin } from "../../../lib/core/new-artefact.ts";
import { assignedClaim } from "../../../lib/core/new-claim.ts";
import { type Artefact, goalFeedbackType, orchestratorRole } from "../../../lib/model/artefact.ts";
import { textOfBids, textOfReviewsAfter } from "../../../lib/model/bid.ts";
import { type Grant, wasMoved } from "../../../lib/model/claim.ts";
import type { EventDraft } from "../../../lib/model/event.ts";
import { type ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";

/** The part of a decision's input that its commit needs. */
type CommitInput = Pick<DecisionInput, "claim" | "at">;

type Write = Decision["writes"][number];
type BiddingWrite = Extract<
  Write,
  { kind: "bid" | "standing_bids" | "close_bidding" | "extend_bidding" }
>;
type GrantWrite = Extract<
  Write,
  { kind: "enter" | "move" | "end_grant" | "retry_later" | "retry" | "resume" }
>;
type ClaimWrite = Exclude<Write, BiddingWrite | GrantWrite>;

/** The ids that most of a commit's events name. */
type About = Required<Pick<EventDraft, "claim_id" | "goal_id" | "artefact_id">>;

/** `newId` makes UUIDs: for the commit, and for the threads and claims that it creates. */
export function commitOf(
  decision: Decision,
  input: CommitInput,
  newId: () => string,
): LeaderCommit {
  const { claim } = input;
  const commit: LeaderCommit = {
    claim: claim.id,
    expectedRev: claim.rev,
    commitId: newId(),
    set: {},
    bids: [],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [],
  };
  const about = { claim_id: claim.id, goal_id: claim.goal_id, artefact_id: claim.artefact_id };
  for (const write of decision.writes) {
    switch (write.kind) {
      case "bid":
      case "standing_bids":
      case "close_bidding":
      case "extend_bidding":
        addBidding(commit, write, about);
        break;
      case "enter":
      case "move":
      case "end_grant":
      case "retry_later":
      case "retry":
      case "resume":
        if (write.kind === "enter") addPhase(commit, write.phase, decision);
        addGrants(commit, write, about);
        break;
      default:
        addToClaim(commit, write, about, input, newId);
    }
  }
  return commit;
}

/** Some of a phase's reviewers may have been asked before. */
function addPhase(commit: LeaderCommit, phase: Phase, { claim, grants }: Decision): void {
  const granted = grants.filter((grant) => grant.phase === phase && !wasMoved(grant));
  commit.set.status = claim.status;
  commit.set.granted = { phase, agents: granted.map(({ agent }) => agent) };
}

function addBidding(commit: LeaderCommit, write: BiddingWrite, about: About): void {
  const { claim } = commit;
  const log = (type: EventDraft["type"], more: Partial<EventDraft> = {}) =>
    commit.events.push({ type, ...about, ...more });
  switch (write.kind) {
    case "bid": {
      const { agent, word } = write;
      commit.bids.push({ agent, word });
      log("bid_imposed", { agent, data: { word } });
      return;
    }
    case "standing_bids": {
      const { bids, missing } = write;
      commit.bids.push(...bids);
      log("bids_placed", { data: { bids: textOfBids(bids), missing } });
      return;
    }
    case "close_bidding":
      commit.set.bidding = "closed";
      commit.due.clear.push({ kind: "bids", claim }, { kind: "announce", claim });
      if (write.reviews_after === undefined) log("bidding_closed");
      else {
        commit.set.reviews_after = write.reviews_after;
        log("bidding_closed", { data: { after: textOfReviewsAfter(write.reviews_after) } });
      }
      return;
    case "extend_bidding":
      commit.due.set.push({ item: { kind: "bids", claim }, afterMs: write.afterMs });
      return;
    default:
      unreachable(write);
  }
}

function addGrants(commit: LeaderCommit, write: GrantWrite, about: About): void {
  const queued = ({ agent, phase, attempt, state }: Grant, more: EventDraft["data"] = {}) => {
    // A person's grant waits from the beginning.
    const type = state === "waiting" ? "grant_waiting" : "grant_queued";
    commit.events.push({ type, ...about, agent, data: { phase, attempt, ...more } });
  };
  switch (write.kind) {
    case "enter":
      commit.grants.push(...write.grants);
      for (const grant of write.grants) queued(grant, write.rivals && textOfRivals(write.rivals));
      return;
    case "move": {
      const { from, grant, rivals } = write;
      commit.set.granted = { phase: grant.phase, agents: [grant.agent] };
      commit.grants.push(from, grant);
      commit.events.push(endEvent(from, about));
      const why = { instead_of: from.agent, because: from.reason };
      queued(grant, { ...textOfRivals(rivals), ...why });
      return;
    }
    case "end_grant":
      commit.grants.push(write.grant);
      commit.events.push(endEvent(write.grant, about));
      return;
    case "retry_later": {
      const { agent, phase, attempt } = write.grant;
      const item = { kind: "attempt" as const, claim: commit.claim, agent, attempt };
      commit.grants.push(write.grant);
      commit.due.set.push({ item, afterMs: write.afterMs });
      const data = { phase, attempt, after_ms: write.afterMs };
      commit.events.push({ type: "grant_retrying", ...about, agent, data });
      return;
    }
    case "retry":
    case "resume":
      commit.grants.push(write.grant);
      queued(write.grant);
      return;
    default:
      unreachable(write);
  }
}

/** Adds the end of the claim, and what follows from it. */
function addToClaim(
  commit: LeaderCommit,
  write: ClaimWrite,
  about: About,
  input: CommitInput,
  newId: () => string,
): void {
  const log = (type: EventDraft["type"], more: Partial<EventDraft> = {}) =>
    commit.events.push({ type, ...about, ...more });
  switch (write.kind) {
    case "fail":
      commit.artefacts.push(failureArtefact(write.failure, input));
      return;
    case "follow_up":
      return followUp(commit, write.followUp, input, newId);
    case "close_question":
      log("question_closed", { artefact_id: write.question, data: { reason: write.reason } });
      return;
    case "complete":
      commit.set.status = "complete";
      log("claim_completed");
      return;
    case "terminate":
      commit.set.status = "terminated";
      commit.set.bidding = "closed";
      commit.set.termination_reason = write.reason;
      log("claim_terminated", { data: { reason: write.reason, kind: input.claim.kind } });
      return;
    default:
      unreachable(write);
  }
}

function followUp(
  commit: LeaderCommit,
  next: FollowUp,
  input: CommitInput,
  newId: () => string,
): void {
  switch (next.kind) {
    case "failure":
      commit.artefacts.push(failureArtefact(next.failure, input));
      return;
    case "question":
      commit.artefacts.push(goalQuestion(next.question, newId(), input));
      return;
    case "rework":
      commit.claims.push(reworkClaim(next, input, newId));
      return;
    default:
      unreachable(next);
  }
}

/**
 * The event of a failed grant names its Failure, as the agent's own event does; a cancelled grant
 * has no Failure.
 */
function endEvent(grant: Grant, about: Pick<EventDraft, "claim_id" | "artefact_id">): EventDraft {
  const type = grant.state === "failed" ? "grant_failed" : "grant_cancelled";
  const reason = grant.state === "failed" || grant.state === "cancelled" ? grant.reason : "";
  const artefact_id = grant.state === "failed" ? grant.artefact_ids[0] : about.artefact_id;
  const movedTo =
    grant.state === "cancelled" && grant.moved_to !== undefined ? { moved_to: grant.moved_to } : {};
  const data = { phase: grant.phase, attempt: grant.attempt, reason, ...movedTo };
  return { type, ...about, artefact_id, agent: grant.agent, data };
}

/** An empty list has no entry. */
function textOfRivals({ idle, busy, silent }: Rivals): Record<string, string> {
  const rivals = { idle, busy: busy.map(({ agent, before }) => `${agent}:${before}`), silent };
  return Object.fromEntries(
    Object.entries(rivals).flatMap(([state, agents]) =>
      agents.length === 0 ? [] : [[state, agents.join(" ")]],
    ),
  );
}

function failureArtefact(
  note: Omit<FailureNote, "agent"> & { agent?: string },
  input: CommitInput,
): Artefact {
  return newThread(originOf(note.id, input), {
    structural_type: "Failure",
    type: note.type,
    payload: JSON.stringify({ reason: note.reason, agent: note.agent ?? null }),
    sources: note.sources,
    metadata: { summary: note.reason },
  });
}

/** Reviewers have feedback on a goal, and only the goal's author can say what is meant. */
function goalQuestion(
  note: { payload: string; sources: ArtefactId[] },
  id: string,
  input: CommitInput,
): Artefact {
  return newThread(originOf(id, input), {
    structural_type: "Question",
    type: goalFeedbackType,
    payload: note.payload,
    sources: note.sources,
    metadata: { summary: "Reviewers gave feedback on the goal" },
  });
}

function originOf(id: string, { at, claim }: CommitInput): Origin {
  return { id, at, role: orchestratorRole, agent: "", goal: claim.goal_id, claim: claim.id };
}

function reworkClaim(rework: Rework, input: CommitInput, newId: () => string): NewClaim {
  const { agent, cause, reviews, standIn, dialogue } = rework;
  const { artefact_id: artefact, goal_id: goal } = input.claim;
  const origin = { id: ClaimId.parse(newId()), artefact, goal, at: input.at };
  return {
    cause,
    ...assignedClaim(origin, { kind: "rework", agent, context: reviews, standIn, dialogue }),
  };
}
