// Turns a decision into the one commit that writes it: fields, grants, Failures, new claims,
// wake-ups and events together.
import type { ClaimCommit, NewClaim } from "../../../lib/blackboard/port/blackboard.ts";
import type { Decision, DecisionInput, FailureNote } from "../../../lib/core/claim-decision.ts";
import type { Rivals } from "../../../lib/core/equal-bids.ts";
import type { FollowUp, Rework } from "../../../lib/core/feedback.ts";
import { newThread, type Origin } from "../../../lib/core/new-artefact.ts";
import { assignedClaim } from "../../../lib/core/new-claim.ts";
import { type Artefact, goalFeedbackType, orchestratorRole } from "../../../lib/model/artefact.ts";
import { textOfBids } from "../../../lib/model/bid.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import type { EventDraft } from "../../../lib/model/event.ts";
import { type ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";

/** What of a decision's input its commit needs. */
type CommitInput = Pick<DecisionInput, "claim" | "at">;

/** The leader's handle adds its epoch. */
export type LeaderCommit = Omit<ClaimCommit, "epoch">;

/**
 * `readOn`: the number of the connection on which the claim was read. `newId` makes UUIDs: for the
 * commit, and for the threads and claims that it creates.
 */
export function commitOf(
  decision: Decision,
  input: CommitInput & { readOn: number },
  newId: () => string,
): LeaderCommit {
  const commit: LeaderCommit = {
    claim: input.claim.id,
    expectedRev: input.claim.rev,
    readOn: input.readOn,
    commitId: newId(),
    set: {},
    bids: [],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [],
  };
  const about = {
    claim_id: input.claim.id,
    goal_id: input.claim.goal_id,
    artefact_id: input.claim.artefact_id,
  };
  for (const write of decision.writes) {
    switch (write.kind) {
      case "bid":
        commit.bids.push({ agent: write.agent, word: write.word });
        commit.events.push({
          type: "bid_imposed",
          ...about,
          agent: write.agent,
          data: { word: write.word },
        });
        break;
      case "standing_bids": {
        const { bids, missing } = write;
        commit.bids.push(...bids);
        commit.events.push({
          type: "bids_placed",
          ...about,
          data: { bids: textOfBids(bids), missing },
        });
        break;
      }
      case "close_bidding":
        commit.set.bidding = "closed";
        commit.due.clear.push(
          { kind: "bids", claim: input.claim.id },
          { kind: "announce", claim: input.claim.id },
        );
        commit.events.push({ type: "bidding_closed", ...about });
        break;
      case "extend_bidding":
        commit.due.set.push({
          item: { kind: "bids", claim: input.claim.id },
          afterMs: write.afterMs,
        });
        break;
      case "enter":
        commit.set.status = decision.claim.status;
        commit.set.granted = { phase: write.phase, agents: write.grants.map(({ agent }) => agent) };
        commit.grants.push(...write.grants);
        for (const { agent, phase, attempt, state } of write.grants) {
          // A person's grant waits from the beginning.
          const type = state === "waiting" ? "grant_waiting" : "grant_queued";
          commit.events.push({
            type,
            ...about,
            agent,
            data: { phase, attempt, ...(write.rivals && textOfRivals(write.rivals)) },
          });
        }
        break;
      case "move": {
        const { from, grant, rivals } = write;
        const { phase, attempt } = grant;
        commit.set.granted = { phase, agents: [grant.agent] };
        commit.grants.push(from, grant);
        commit.events.push(endEvent(from, about), {
          ...{ type: "grant_queued", ...about, agent: grant.agent },
          data: {
            phase,
            attempt,
            ...textOfRivals(rivals),
            instead_of: from.agent,
            because: from.reason,
          },
        });
        break;
      }
      case "end_grant":
        commit.grants.push(write.grant);
        commit.events.push(endEvent(write.grant, about));
        break;
      case "retry_later": {
        const { agent, phase, attempt } = write.grant;
        commit.grants.push(write.grant);
        commit.due.set.push({
          item: { kind: "attempt", claim: input.claim.id, agent, attempt },
          afterMs: write.afterMs,
        });
        commit.events.push({
          type: "grant_retrying",
          ...about,
          agent,
          data: { phase, attempt, after_ms: write.afterMs },
        });
        break;
      }
      case "retry":
      case "resume": {
        const { agent, phase, attempt } = write.grant;
        commit.grants.push(write.grant);
        commit.events.push({ type: "grant_queued", ...about, agent, data: { phase, attempt } });
        break;
      }
      case "fail":
        commit.artefacts.push(failureArtefact(write.failure, input));
        break;
      case "follow_up":
        followUp(commit, write.followUp, input, newId);
        break;
      case "close_question":
        commit.events.push({
          type: "question_closed",
          ...about,
          artefact_id: write.question,
          data: { reason: write.reason },
        });
        break;
      case "complete":
        commit.set.status = "complete";
        commit.events.push({ type: "claim_completed", ...about });
        break;
      case "terminate":
        commit.set.status = "terminated";
        commit.set.bidding = "closed";
        commit.set.termination_reason = write.reason;
        commit.events.push({
          type: "claim_terminated",
          ...about,
          data: { reason: write.reason, kind: input.claim.kind },
        });
        break;
      default:
        unreachable(write);
    }
  }
  return commit;
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
