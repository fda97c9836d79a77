// Creates claims: every new claim gets all its fields here (docs/internals/claims.md).
import type { Claim, Grant, StandIn } from "../model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../model/ids.ts";
import type { EndedPiece } from "../model/pieces.ts";

/** The artefact that a claim is about, its goal, and the time (ISO 8601). `id` is new. */
export type ClaimOrigin = { id: ClaimId; artefact: ArtefactId; goal: GoalId; at: string };

/**
 * A claim that waits for the bids of `electorate`. `pieces`: what came of them, where the artefact
 * is a list; the work on the list gets it.
 */
export function biddingClaim(
  { id, artefact, goal, at }: ClaimOrigin,
  electorate: AgentName[],
  pieces?: EndedPiece[],
): Claim {
  return {
    id,
    artefact_id: artefact,
    goal_id: goal,
    kind: "standard",
    status: "pending_review",
    bidding: "open",
    electorate,
    bids: [],
    additional_context_ids: [
      ...new Set((pieces ?? []).flatMap(({ results, failures }) => [...results, ...failures])),
    ],
    ...(pieces && { pieces }),
    rev: 0,
    created_at: at,
    termination_reason: "",
  };
}

export type Assignment = {
  kind: "rework" | "clarification";
  agent: AgentName;
  /** The grant's context holds these beside the sources of the artefact. */
  context: ArtefactId[];
  standIn?: StandIn | undefined;
  dialogue?: ArtefactId[] | undefined;
};

/** A claim that one agent is granted at once, without bids. */
export function assignedClaim(
  { id, artefact, goal, at }: ClaimOrigin,
  { kind, agent, context, standIn, dialogue }: Assignment,
): { claim: Claim; grants: Grant[] } {
  const claim: Claim = {
    id,
    artefact_id: artefact,
    goal_id: goal,
    kind,
    status: "pending_exclusive",
    bidding: "closed",
    electorate: [],
    bids: [],
    additional_context_ids: context,
    ...(standIn && { stand_in: standIn }),
    rev: 0,
    created_at: at,
    termination_reason: "",
  };
  const grant: Grant = {
    agent,
    phase: "exclusive",
    attempt: 1,
    ...(dialogue && { dialogue }),
    queued_at: at,
    state: "queued",
  };
  return { claim, grants: [grant] };
}
