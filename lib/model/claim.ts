// Claims, the orchestrator's records of deciding about an artefact, and the grants of a claim.
import { z } from "zod";
import { Bid, ReviewAfter } from "./bid.ts";
import { ClaimStatus } from "./claim-status.ts";
import { AgentName, ArtefactId, ClaimId, CommitHash, GoalId } from "./ids.ts";
import { Phase } from "./phase.ts";
import { EndedPiece } from "./pieces.ts";
import { Quorum } from "./quorum.ts";
import { withoutUndefined } from "./without-undefined.ts";

/** `standard` claims gather bids; the others start in `pending_exclusive` with one named agent. */
export const ClaimKind = z.enum(["standard", "rework", "clarification", "retry"]);
export type ClaimKind = z.infer<typeof ClaimKind>;

/** `for`: the agent whose work an agent of the same role does. `because`: a sentence. */
export const StandIn = z.strictObject({ for: z.string(), because: z.string() });
export type StandIn = z.infer<typeof StandIn>;

export const Claim = z.strictObject({
  id: ClaimId,
  artefact_id: ArtefactId,
  goal_id: GoalId,
  kind: ClaimKind,
  status: ClaimStatus,
  bidding: z.enum(["open", "closed"]),
  /** These agents must bid: the ones registered when the claim opened. */
  electorate: z.array(AgentName),
  /** Bids are in the order of arrival. */
  bids: z.array(Bid),
  /**
   * Reviewers that wait for other reviewers, as it was when the bidding closed. Missing where all
   * are asked together.
   */
  reviews_after: z.array(ReviewAfter).optional(),
  additional_context_ids: z.array(ArtefactId),
  /** What came of each piece, where the artefact is a list of pieces (lib/core/pieces.ts). */
  pieces: z.array(EndedPiece).optional(),
  /**
   * Only a rework or a clarification that goes to another agent than the one that made the artefact
   * has it.
   */
  stand_in: StandIn.optional(),
  /**
   * Every bid, accepted grant, finished grant and commit increments it; a commit that was decided
   * on an older one is refused.
   */
  rev: z.int(),
  created_at: z.iso.datetime(),
  /** Empty until the claim is terminated. */
  termination_reason: z.string(),
});
export type Claim = z.infer<typeof Claim>;

const grantBase = {
  agent: AgentName,
  phase: Phase,
  /** 1, 2, 3 …; an answer or a retry starts the next one. */
  attempt: z.int().min(1),
  /** How many of the attempts so far failed and were tried again; an answer is no retry. */
  retries: z.int().min(1).optional(),
  /** How many of the attempts so far the cluster has ended, and were made again. */
  disruptions: z.int().min(1).optional(),
  /** Earlier attempts asked these and were answered: question, answer, question, answer … */
  dialogue: z.array(ArtefactId).optional(),
  queued_at: z.iso.datetime(),
  /** The rule of a person's grant, if one approval of any person is not enough. */
  quorum: Quorum.optional(),
};
/**
 * A process. `born` differs between any two processes that had the same `pid` on a machine;
 * `namespace` is the one that `pid` belongs to. `container`: the id of the container that it runs
 * in, where it is known.
 */
export const ProcessMark = z.strictObject({
  pid: z.int(),
  born: z.string(),
  namespace: z.string(),
  container: z.string().optional(),
});
export type ProcessMark = z.infer<typeof ProcessMark>;

const grantInputs = {
  /**
   * The cub's own id for this run: two cubs of one name may accept in the same millisecond, and
   * only one of them may have the grant.
   */
  run_id: z.uuid().optional(),
  /** The cub's process. */
  run_by: ProcessMark.optional(),
  /** SHA-256, in hexadecimal, of the token with which this run may ask a model. */
  model_token: z.string().optional(),
  started_at: z.iso.datetime(),
  /** The artefacts that the tool gets beside the target. */
  context_ids: z.array(ArtefactId),
  base_commit: CommitHash.optional(),
};

/**
 * A waiting grant has no lease, slot or process; it may wait for days. `approval`: an agent that is
 * a person judges the claim's artefact.
 */
export const WaitsFor = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("answer"), question_id: ArtefactId }),
  z.strictObject({ kind: z.literal("approval") }),
]);
export type WaitsFor = z.infer<typeof WaitsFor>;

/** The right and duty of one agent to work on one claim in one phase. */
export const Grant = z.discriminatedUnion("state", [
  /**
   * `base_commit` of a queued grant: the commit that an earlier attempt had reached when it asked a
   * question.
   */
  z.strictObject({ ...grantBase, state: z.literal("queued"), base_commit: CommitHash.optional() }),
  z.strictObject({ ...grantBase, ...grantInputs, state: z.literal("running") }),
  z.strictObject({
    ...grantBase,
    ...grantInputs,
    state: z.literal("waiting"),
    waits_for: WaitsFor,
  }),
  z.strictObject({
    ...grantBase,
    ...grantInputs,
    state: z.literal("done"),
    ended_at: z.iso.datetime(),
    artefact_ids: z.array(ArtefactId),
    /** Its result is a Review that does not approve. */
    rejects: z.literal(true).optional(),
  }),
  z.strictObject({
    ...grantBase,
    ...grantInputs,
    state: z.literal("failed"),
    ended_at: z.iso.datetime(),
    /** The Failure artefact. */
    artefact_ids: z.array(ArtefactId),
    reason: z.string(),
    /**
     * The type of the Failure, where the agent did not end the grant by its own answer, or its
     * budget is spent.
     */
    failure_type: z.string().optional(),
    /** When the next attempt is queued, where the agent's `retries` allow one. */
    retry_at: z.iso.datetime().optional(),
  }),
  z.strictObject({
    ...grantBase,
    state: z.literal("cancelled"),
    ended_at: z.iso.datetime(),
    reason: z.string(),
    /** The agent that has the grant since then, where the claim goes on. */
    moved_to: AgentName.optional(),
  }),
]);
export type Grant = z.infer<typeof Grant>;
export type RunningGrant = Extract<Grant, { state: "running" }>;
export type DoneGrant = Extract<Grant, { state: "done" }>;
export type WaitingGrant = Extract<Grant, { state: "waiting" }>;

/** How often the grant was tried again, and why: the next attempt keeps it. */
export function triesOf({
  retries,
  disruptions,
}: Pick<Grant, "retries" | "disruptions">): Pick<Grant, "retries" | "disruptions"> {
  return withoutUndefined({ retries, disruptions });
}

/** The question whose answer a grant waits for, if it waits for one. */
export function questionOf(grant: Grant): ArtefactId | undefined {
  return grant.state === "waiting" && grant.waits_for.kind === "answer"
    ? grant.waits_for.question_id
    : undefined;
}

/**
 * The Failures by which a claim has failed: none where it ended otherwise, such as by feedback,
 * while a failed attempt was to be made again.
 */
export function failuresOf({
  claim,
  grants,
}: Pick<ClaimSnapshot, "claim" | "grants">): ArtefactId[] {
  const failed = grants.filter((grant) => grant.state === "failed");
  const isByFailure = failed.some(({ retry_at }) => retry_at === undefined);
  if (claim.status !== "terminated" || !isByFailure) return [];
  return failed.flatMap(({ artefact_ids }) => artefact_ids);
}

/** True of a grant that ended with a Review: a review, or other work that sent its target back. */
export function hasVerdict(grant: Grant): grant is DoneGrant {
  return grant.state === "done" && (grant.phase === "review" || grant.rejects === true);
}

/** True of a grant that another agent of equal bid has got before its own agent began. */
export function wasMoved(grant: Grant): boolean {
  return grant.state === "cancelled" && grant.moved_to !== undefined;
}

/**
 * True of the grant of an agent that is a person, while that person has not judged the claim's
 * artefact.
 */
export function isForApproval(grant: Grant): grant is WaitingGrant {
  return grant.state === "waiting" && grant.waits_for.kind === "approval";
}

/** The agents of the electorate whose bid is not on record, in the electorate's order. */
export function missingBidders({
  electorate,
  bids,
}: Pick<Claim, "electorate" | "bids">): AgentName[] {
  if (bids.length === 0) return [...electorate];
  // Rules have bid so, in the order of sett.yml.
  if (
    bids.length === electorate.length &&
    bids.every(({ agent }, place) => agent === electorate[place])
  )
    return [];
  const bidders = new Set(bids.map(({ agent }) => agent));
  return electorate.filter((agent) => !bidders.has(agent));
}

/** Decisions are made on this: a claim with its grants. */
export type ClaimSnapshot = { claim: Claim; grants: Grant[] };

/**
 * A claim whose record a person has broken: what can still be read of it. `problem` is a sentence
 * that names the key.
 */
export type MalformedClaim = {
  claim: ClaimId;
  goal: GoalId | undefined;
  status: ClaimStatus | undefined;
  problem: string;
};

/** Ended claims never change. */
export function isEnded(status: ClaimStatus): boolean {
  return status === "complete" || status === "terminated";
}
