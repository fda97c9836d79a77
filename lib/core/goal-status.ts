// The status of a goal, derived from the blackboard and stored nowhere
// (docs/internals/claims.md#goal-status).

import type { ArchivedGoal } from "../model/archived-goal.ts";
import { type ArtefactHead, isGoalFeedback } from "../model/artefact.ts";
import {
  type Claim,
  type ClaimSnapshot,
  failuresOf,
  type Grant,
  isEnded,
  isForApproval,
  type MalformedClaim,
  missingBidders,
} from "../model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../model/ids.ts";
import { agentRemovedType, attemptDisruptedType, attemptLostType } from "../model/own-types.ts";
import { type Approvals, approvalsOf } from "../model/quorum.ts";
import { unreachable } from "../model/unreachable.ts";
import { causeOfRetry } from "./retry-claim.ts";
import { unaskedReviews } from "./review-order.ts";
import { causeOfStandIn } from "./stand-in.ts";

export type GoalState =
  | "cancelled"
  | "waiting"
  | "running"
  | "failed"
  | "achieved"
  | "settled"
  | "stalled";

/** All that the status depends on, read at one moment. */
export type GoalFacts = {
  goal: GoalId;
  /** The goal's flag. */
  ended: "cancelled" | "artefact_limit" | undefined;
  /** Its state when an archive got all of it: a part of it may be removed by now. */
  archived?: ArchivedGoal["state"] | undefined;
  artefacts: readonly GoalArtefact[];
  /** Artefact → cause → claim. */
  causes: ReadonlyMap<ArtefactId, ReadonlyMap<string, ClaimId>>;
  /** Questions that wait for a person. */
  openQuestions: ReadonlySet<ArtefactId>;
  /** Every claim that `causes` names, but for those that cannot be read. */
  claims: readonly ClaimSnapshot[];
  malformed?: readonly MalformedClaim[];
};

export type GoalArtefact = Pick<
  ArtefactHead,
  | "id"
  | "logical_id"
  | "structural_type"
  | "type"
  | "source_artefacts"
  | "claim_id"
  | "created_at"
  | "produced_by_agent"
> & { metadata?: ArtefactHead["metadata"] };

/**
 * An agent, a person or a step that the goal waits for. Times are ISO 8601. `retry`: `attempt`
 * failed for that `reason`, the next one is queued at `retry_at`. `decision`: the orchestrator has
 * all that it needs to go on with the claim.
 */
export type Waiting =
  | { kind: "bid"; agent: AgentName; claim: ClaimId; since: string }
  | { kind: "start"; agent: AgentName; claim: ClaimId; since: string }
  | { kind: "work"; agent: AgentName; claim: ClaimId; since: string }
  | {
      kind: "retry";
      agent: AgentName;
      claim: ClaimId;
      since: string;
      attempt: number;
      retry_at: string;
      reason: string;
    }
  /** Its review is asked for when all of `after` have approved. */
  | { kind: "turn"; agent: AgentName; claim: ClaimId; after: AgentName[]; since: string }
  | { kind: "decision"; claim: ClaimId; since: string }
  | { kind: "answer"; question: ArtefactId; since: string }
  /** `agent` is the person who is to judge the artefact. */
  | {
      kind: "approval";
      agent: AgentName;
      claim: ClaimId;
      artefact: ArtefactId;
      since: string;
      /** The rule, if one approval of any person is not enough. */
      approvals?: Approvals | undefined;
    }
  /** `pieces`: of a list whose claim waits for all work on them. */
  | { kind: "claim"; artefact: ArtefactId; since: string; pieces?: number | undefined }
  /** A person must repair a claim that cannot be read. `since`: when its artefact was created. */
  | { kind: "repair"; claim: ClaimId; problem: string; since: string };

/** `failures`: those that count, oldest first. */
export type GoalStatus = {
  state: GoalState;
  openClaims: ClaimSnapshot[];
  waitingFor: Waiting[];
  failures: ArtefactId[];
};

export function goalStatus(facts: GoalFacts): GoalStatus {
  if (facts.archived !== undefined)
    return { state: facts.archived, openClaims: [], waitingFor: [], failures: [] };
  const openClaims = facts.claims.filter(({ claim }) => !isEnded(claim.status));
  const owed = facts.ended === undefined ? [...owedClaims(facts), ...goalsOwed(facts)] : [];
  const questions = facts.artefacts.filter(({ id }) => facts.openQuestions.has(id));
  const repairs = repairsOwed(facts);
  const waitingFor: Waiting[] = [
    ...questions.map(
      (question): Waiting => ({
        kind: "answer",
        question: question.id,
        since: question.created_at,
      }),
    ),
    ...openClaims.flatMap(waitedForBy),
    ...repairs,
    ...owed.map(
      ({ id, created_at, metadata }): Waiting => ({
        ...{ kind: "claim", artefact: id, since: created_at },
        ...(Array.isArray(metadata?.pieces) && { pieces: metadata.pieces.length }),
      }),
    ),
  ];
  const retried = retriedClaims(facts);
  const failures = facts.artefacts.filter(
    (one) => one.structural_type === "Failure" && !isSuperseded(one, retried, facts),
  );
  const count = {
    people: waitingFor.filter(isForPeople).length,
    open: openClaims.length + owed.length + repairs.length,
    failures: failures.length,
  };
  return {
    state: stateOf(facts, count),
    openClaims,
    waitingFor,
    failures: failures.map(({ id }) => id),
  };
}

/** Waits for a person, who may take days. */
export function isForPeople({ kind }: Waiting): boolean {
  return kind === "answer" || kind === "approval";
}

function stateOf(
  facts: GoalFacts,
  count: { people: number; open: number; failures: number },
): GoalState {
  if (facts.ended === "cancelled") return "cancelled";
  if (count.people > 0) return "waiting";
  if (count.open > 0) return "running";
  if (count.failures > 0) return "failed";
  if (facts.artefacts.some((artefact) => artefact.structural_type === "Terminal"))
    return "achieved";
  // A new version of the goal is not a result, and neither is a review.
  const isResult = (artefact: GoalArtefact) =>
    artefact.structural_type === "Standard" && String(artefact.logical_id) !== String(facts.goal);
  return facts.artefacts.some(isResult) ? "settled" : "stalled";
}

/** A claim whose status can still be read, and has ended, needs no repair. */
function repairsOwed({ artefacts, causes, malformed = [] }: GoalFacts): Waiting[] {
  const openOnes = malformed.filter(({ status }) => status === undefined || !isEnded(status));
  return openOnes.map(({ claim, problem }) => {
    const about = artefacts.find(({ id }) => [...(causes.get(id)?.values() ?? [])].includes(claim));
    return {
      kind: "repair",
      claim,
      problem,
      since: about?.created_at ?? artefacts[0]?.created_at ?? "",
    };
  });
}

/**
 * Artefacts without their claim: every Standard artefact gets one standard claim, and until then
 * the goal goes on.
 */
function owedClaims({ artefacts, causes }: GoalFacts): GoalArtefact[] {
  return artefacts.filter(
    ({ id, structural_type }) =>
      structural_type === "Standard" && causes.get(id)?.has("standard") !== true,
  );
}

/**
 * Failures of attempts that name no agent. An agent that was removed may be back for the next
 * attempt.
 */
const endedByOrchestrator = new Set([attemptLostType, attemptDisruptedType, agentRemovedType]);

/**
 * A Failure does not count any more once its attempt was followed by another, or once its claim was
 * tried again or taken over, for any of its Failures: the new claim covers all of the failed work.
 * Nor does it where a person has posted another version of what it was about.
 */
function isSuperseded(
  failure: GoalArtefact,
  retried: ReadonlySet<string>,
  { artefacts, claims }: GoalFacts,
): boolean {
  if (retried.has(failure.claim_id)) return true;
  const made = claims.find(({ claim }) => claim.id === failure.claim_id);
  if (made === undefined) return false;
  if (hasPostedVersion(made.claim.artefact_id, artefacts)) return true;
  // This attempt to answer a question failed, but another answer came.
  if (
    made.claim.kind === "clarification" &&
    answersTo(made.claim.artefact_id, artefacts).length > 0
  )
    return true;
  const isLast = made.grants.some(
    (grant) => grant.state === "failed" && grant.artefact_ids.includes(failure.id),
  );
  const isOf = (agent: AgentName) =>
    endedByOrchestrator.has(failure.type) || agent === failure.produced_by_agent;
  const wasRetried = made.grants.some(
    ({ agent, retries = 0, disruptions = 0 }) => retries + disruptions > 0 && isOf(agent),
  );
  if (made.claim.status === "complete" || (wasRetried && !isLast)) return true;
  // The claim ended otherwise, while the attempt was to be made again.
  return isLast && isEnded(made.claim.status) && failuresOf(made).length === 0;
}

/** Whether a person has posted a version that comes from this one. */
function hasPostedVersion(of: ArtefactId, artefacts: readonly GoalArtefact[]): boolean {
  return artefacts.some(
    ({ id, logical_id, claim_id, source_artefacts: [replaced] }) =>
      claim_id === "" && String(logical_id) !== String(id) && replaced === of,
  );
}

function retriedClaims({ artefacts, causes }: GoalFacts): Set<string> {
  const all = new Set([...causes.values()].flatMap((ofArtefact) => [...ofArtefact.keys()]));
  return new Set(
    artefacts.flatMap(({ id, claim_id }) =>
      all.has(causeOfRetry(id)) || all.has(causeOfStandIn(id)) ? [claim_id] : [],
    ),
  );
}

function answersTo(question: ArtefactId, artefacts: readonly GoalArtefact[]): GoalArtefact[] {
  return artefacts.filter(
    (one) => one.structural_type === "Answer" && one.source_artefacts.includes(question),
  );
}

/**
 * Feedback on the goal that is not put to a person yet, or whose answer has not become the goal's
 * next version yet.
 */
function goalsOwed({ goal, artefacts, openQuestions }: GoalFacts): GoalArtefact[] {
  const versions = artefacts.filter((artefact) => String(artefact.logical_id) === String(goal));
  const isTaken = (answer: GoalArtefact) =>
    versions.some((version) => version.source_artefacts.includes(answer.id));
  return artefacts.filter(
    (one) =>
      isGoalFeedback(one) &&
      !openQuestions.has(one.id) &&
      !answersTo(one.id, artefacts).some(isTaken),
  );
}

/**
 * Says what an open claim waits for. A grant that waits for an answer is not in it: its question is
 * listed by itself.
 */
export function waitedForBy({ claim, grants }: ClaimSnapshot): Waiting[] {
  const { id } = claim;
  const waiting =
    claim.bidding === "open"
      ? missingBidders(claim).map(
          (agent): Waiting => ({ kind: "bid", agent, claim: id, since: claim.created_at }),
        )
      : [...grants.flatMap((grant) => waitedForIn(grant, claim)), ...turnsOf({ claim, grants })];
  if (waiting.length > 0 || grants.some((grant) => grant.state === "waiting")) return waiting;
  const ends = grants.flatMap((grant) => ("ended_at" in grant ? [grant.ended_at] : []));
  return [{ kind: "decision", claim: id, since: ends.sort().at(-1) ?? claim.created_at }];
}

function turnsOf(snapshot: ClaimSnapshot): Waiting[] {
  const { claim } = snapshot;
  return unaskedReviews(snapshot).flatMap(({ agent, after }): Waiting[] =>
    after.length === 0
      ? []
      : [{ kind: "turn", agent, claim: claim.id, after, since: claim.created_at }],
  );
}

function waitedForIn(grant: Grant, { id: claim, artefact_id }: Claim): Waiting[] {
  const { agent } = grant;
  switch (grant.state) {
    case "queued":
      return [{ kind: "start", agent, claim, since: grant.queued_at }];
    case "running":
      return [{ kind: "work", agent, claim, since: grant.started_at }];
    case "failed": {
      const { attempt, ended_at: since, retry_at, reason } = grant;
      return retry_at === undefined
        ? []
        : [{ kind: "retry", agent, claim, since, attempt, retry_at, reason }];
    }
    case "waiting":
      if (!isForApproval(grant)) return [];
      return [
        {
          ...{ kind: "approval", agent, claim, artefact: artefact_id, since: grant.started_at },
          ...(grant.quorum && { approvals: approvalsOf(grant.quorum) }),
        },
      ];
    case "done":
    case "cancelled":
      return [];
    default:
      return unreachable(grant);
  }
}
