// A claim and its grants as Redis stores them. They are read for every decision, so that what the
// Lua functions wrote is trusted.

import type { Bid, BidWord } from "../../model/bid.ts";
import {
  type Claim,
  type ClaimSnapshot,
  type Grant,
  type MalformedClaim,
  missingBidders,
  wasMoved,
} from "../../model/claim.ts";
import { ClaimStatus } from "../../model/claim-status.ts";
import { messageOf } from "../../model/errors.ts";
import { type AgentName, type ClaimId, GoalId } from "../../model/ids.ts";
import { ofSame } from "../../model/of-same.ts";
import { type Phase, phases, phaseTable } from "../../model/phase.ts";
import type { NewClaim } from "../port/claims.ts";
import { inOrder } from "../records/grant-order.ts";
import { MalformedClaimError } from "../records/malformed-claim.ts";

/**
 * The hash of a claim that is being opened. The `granted_*` fields are copies for people who read.
 */
export function fieldsOfClaim({ claim, cause, grants }: NewClaim): Record<string, string> {
  const granted = (phase: Phase) =>
    grants.filter((grant) => grant.phase === phase && !wasMoved(grant)).map((grant) => grant.agent);
  return {
    id: claim.id,
    artefact_id: claim.artefact_id,
    status: claim.status,
    ...Object.fromEntries(phases.map((phase) => grantedField(phase, granted(phase)))),
    goal_id: claim.goal_id,
    kind: claim.kind,
    electorate: jsonOf(claim.electorate),
    additional_context_ids: JSON.stringify(claim.additional_context_ids),
    rev: String(claim.rev),
    created_at: claim.created_at,
    termination_reason: claim.termination_reason,
    bidding: claim.bidding,
    bid_order: bidOrderOf(claim.bids),
    missing_bids: String(missingBidders(claim).length),
    cause,
    stand_in: claim.stand_in === undefined ? "" : JSON.stringify(claim.stand_in),
    ...(claim.pieces && { pieces: JSON.stringify(claim.pieces) }),
    ...(claim.reviews_after && { reviews_after: JSON.stringify(claim.reviews_after) }),
  };
}

const jsonOf = ofSame((names: readonly AgentName[]) => JSON.stringify(names));
const bidOrderOf = ofSame((bids: readonly Bid[]) =>
  JSON.stringify(bids.map(({ agent, word }) => [agent, word])),
);

/**
 * The field that shows who was granted work in a phase: a list of names, or the name of the one
 * agent that works alone.
 */
export function grantedField(
  phase: Phase,
  agents: readonly AgentName[],
): [name: string, text: string] {
  return [
    phaseTable[phase].grantedField,
    phase === "exclusive" ? (agents[0] ?? "") : JSON.stringify(agents),
  ];
}

/** The fields that a claim is read from. */
export const claimFieldNames = [
  "id",
  "artefact_id",
  "goal_id",
  "kind",
  "status",
  "bidding",
  "electorate",
  "bid_order",
  "additional_context_ids",
  "rev",
  "created_at",
  "termination_reason",
  "stand_in",
  "reviews_after",
  "pieces",
] as const;

/** Null where the hash has no such field. */
export type ClaimFields = Record<(typeof claimFieldNames)[number], string | null>;

/** `values`: as HMGET answers, in the order of the names. */
export function claimFields(values: readonly (string | null)[]): ClaimFields {
  return Object.fromEntries(
    claimFieldNames.map((name, place) => [name, values[place] ?? null]),
  ) as ClaimFields;
}

/**
 * `laterBids`: agent → place and word, of the bids that are not in `bid_order` yet. `isHash`: false
 * where the claim, its grants or its later bids are a key of another type.
 */
export type ClaimRow = {
  fields: ClaimFields;
  laterBids: Readonly<Record<string, string>>;
  grants: readonly string[];
  isHash: boolean;
};

/**
 * Undefined when there is no such claim. Throws `blackboard-refused`, naming the key, when a person
 * has damaged it by hand.
 */
export function snapshotOf(
  key: string,
  { fields, laterBids, grants, isHash }: ClaimRow,
): ClaimSnapshot | undefined {
  if (!isHash)
    throw new MalformedClaimError(key, "it, its grants or its bids are no hash in Redis");
  const {
    id,
    artefact_id,
    goal_id,
    kind,
    status,
    bidding,
    created_at,
    termination_reason,
    stand_in,
    reviews_after,
    pieces,
  } = fields;
  if (id === null) return undefined;
  try {
    const order = JSON.parse(fields.bid_order ?? "") as [AgentName, BidWord][];
    const claim = {
      id,
      artefact_id,
      goal_id,
      kind,
      status,
      bidding,
      electorate: JSON.parse(fields.electorate ?? ""),
      bids: order.concat(inTheirOrder(laterBids)).map(([agent, word]) => ({ agent, word })),
      additional_context_ids: JSON.parse(fields.additional_context_ids ?? ""),
      ...(pieces ? { pieces: JSON.parse(pieces) } : {}),
      ...(reviews_after ? { reviews_after: JSON.parse(reviews_after) } : {}),
      ...(stand_in ? { stand_in: JSON.parse(stand_in) } : {}),
      rev: Number(fields.rev),
      created_at,
      termination_reason,
    };
    // The comment at the top says why this is trusted.
    const snapshot = { claim: claim as Claim, grants: inOrder(grants.map(grantOfText)) };
    const problem = shapeProblem(snapshot);
    if (problem !== undefined) throw new Error(problem);
    return snapshot;
  } catch (cause) {
    throw new MalformedClaimError(key, cause);
  }
}

/** As functions write them: `3 claim`. */
function inTheirOrder(laterBids: ClaimRow["laterBids"]): [AgentName, BidWord][] {
  const bids = Object.entries(laterBids).map(([agent, text]) => ({
    agent,
    place: Number.parseInt(text, 10),
    text,
  }));
  bids.sort((one, other) => one.place - other.place);
  return bids.map(({ agent, text }) => [
    agent as AgentName,
    text.slice(text.indexOf(" ") + 1) as BidWord,
  ]);
}

/** Checks as much as keeps its readers from failing. */
function shapeProblem({ claim, grants }: ClaimSnapshot): string | undefined {
  const lists = [claim.electorate, claim.bids, claim.additional_context_ids];
  if (!lists.every(Array.isArray))
    return "electorate, bid_order and additional_context_ids must be lists";
  if (!ClaimStatus.safeParse(claim.status).success) return `there is no status ${claim.status}`;
  if (!Number.isInteger(claim.rev)) return "rev is no number";
  if (!claim.goal_id || !claim.artefact_id || !claim.created_at)
    return "goal_id, artefact_id or created_at is missing";
  return grants.every(
    (grant) => typeof grant?.agent === "string" && typeof grant.state === "string",
  )
    ? undefined
    : "a grant lacks its agent or its state";
}

/** Returns what can still be read of a claim that `snapshotOf` refuses. */
export function malformedClaim(
  claim: ClaimId,
  { goal_id, status }: ClaimFields,
  error: unknown,
): MalformedClaim {
  return {
    claim,
    goal: GoalId.safeParse(goal_id).data,
    status: ClaimStatus.safeParse(status).data,
    problem: messageOf(error),
  };
}

export function grantOfText(text: string): Grant {
  return JSON.parse(text) as Grant;
}

export function textOfGrant(grant: Grant): string {
  return JSON.stringify(grant);
}
