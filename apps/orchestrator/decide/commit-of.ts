// Turns a decision into the one commit that writes it: fields, grants, Failures, new claims,
// wake-ups and events together.
import type { NewClaim } from "../../../lib/blackboard/port/claims.ts";
import type { LeaderCommit } from "../../../lib/blackboard/port/leading.ts";
import type { Decision, DecisionInput, FailureNote } from "../../../lib/core/claim-decision.ts";
import { decisionEvents, type Occasion } from "../../../lib/core/decision-events.ts";
import type { FollowUp, Rework } from "../../../lib/core/follow-up.ts";
import { newThread, type Origin } from "../../../lib/core/new-artefact.ts";
import { assignedClaim } from "../../../lib/core/new-claim.ts";
import { type Artefact, goalFeedbackType, orchestratorRole } from "../../../lib/model/artefact.ts";
import { wasMoved } from "../../../lib/model/claim.ts";
import { type ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";

/** The part of a decision's input that its commit needs. */
type CommitInput = Pick<DecisionInput, "claim" | "at"> & Occasion;

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
    events: decisionEvents(decision, input),
  };
  for (const write of decision.writes) {
    if (write.kind === "enter") addPhase(commit, write.phase, decision);
    addWrite(commit, write, input, newId);
  }
  return commit;
}

/** Some of a phase's reviewers may have been asked before. */
function addPhase(commit: LeaderCommit, phase: Phase, { claim, grants }: Decision): void {
  const granted = grants.filter((grant) => grant.phase === phase && !wasMoved(grant));
  commit.set.status = claim.status;
  commit.set.granted = { phase, agents: granted.map(({ agent }) => agent) };
}

function addWrite(
  commit: LeaderCommit,
  write: Decision["writes"][number],
  input: CommitInput,
  newId: () => string,
): void {
  const { claim } = commit;
  switch (write.kind) {
    case "bid":
      commit.bids.push({ agent: write.agent, word: write.word });
      return;
    case "standing_bids":
      commit.bids.push(...write.bids);
      return;
    case "close_bidding":
      commit.set.bidding = "closed";
      commit.due.clear.push({ kind: "bids", claim }, { kind: "announce", claim });
      if (write.reviews_after !== undefined) commit.set.reviews_after = write.reviews_after;
      return;
    case "extend_bidding":
      commit.due.set.push({ item: { kind: "bids", claim }, afterMs: write.afterMs });
      return;
    case "enter":
      commit.grants.push(...write.grants);
      return;
    case "move":
      commit.set.granted = { phase: write.grant.phase, agents: [write.grant.agent] };
      commit.grants.push(write.from, write.grant);
      return;
    case "retry_later": {
      const { agent, attempt } = write.grant;
      const item = { kind: "attempt" as const, claim, agent, attempt };
      commit.grants.push(write.grant);
      commit.due.set.push({ item, afterMs: write.afterMs });
      return;
    }
    case "end_grant":
    case "retry":
    case "resume":
      commit.grants.push(write.grant);
      return;
    case "close_question":
      return;
    case "fail":
      commit.artefacts.push(failureArtefact(write.failure, input));
      return;
    case "follow_up":
      return followUp(commit, write.followUp, input, newId);
    case "complete":
      commit.set.status = "complete";
      return;
    case "terminate":
      commit.set.status = "terminated";
      commit.set.bidding = "closed";
      commit.set.termination_reason = write.reason;
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
