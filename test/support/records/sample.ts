// Small valid records for tests; every call makes fresh ids.
import { randomUUID } from "node:crypto";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { Artefact } from "../../../lib/model/artefact.ts";
import { Claim } from "../../../lib/model/claim.ts";
import { AgentName, ArtefactId, ClaimId, GoalId, LogicalId } from "../../../lib/model/ids.ts";

export const agentName = (name: string) => AgentName.parse(name);
export const newArtefactId = () => ArtefactId.parse(randomUUID());
export const newClaimId = () => ClaimId.parse(randomUUID());

/** A goal, unless `over` says otherwise. */
export function sampleArtefact(over: Partial<Artefact> = {}): Artefact {
  const id = over.id ?? newArtefactId();
  return Artefact.parse({
    id,
    logical_id: id,
    version: 1,
    structural_type: "Standard",
    type: "GoalDefined",
    payload: "hello",
    source_artefacts: [],
    produced_by_role: "user",
    produced_by_agent: "",
    created_at: new Date().toISOString(),
    goal_id: over.goal_id ?? id,
    claim_id: "",
    metadata: {},
    ...over,
  });
}

export function sampleAgent(
  name: string,
  over: Partial<AgentRegistration> = {},
): AgentRegistration {
  return {
    name: agentName(name),
    role: name,
    replicas: 1,
    strategy: "reuse",
    bids: [],
    on_missing_bid: "wait",
    workspace_mode: "ro",
    timeout_ms: 300_000,
    retries: 0,
    image: "",
    ...over,
  };
}

/** A claim in bidding about `artefact`, on which these agents must bid. */
export function sampleClaim(
  artefact: Artefact,
  electorate: readonly string[],
  over: Partial<Claim> = {},
): Claim {
  return Claim.parse({
    id: newClaimId(),
    artefact_id: artefact.id,
    goal_id: artefact.goal_id,
    kind: "standard",
    status: "pending_review",
    bidding: "open",
    electorate,
    bids: [],
    additional_context_ids: [],
    rev: 0,
    created_at: new Date().toISOString(),
    termination_reason: "",
    ...over,
  });
}

export const newGoalId = () => GoalId.parse(randomUUID());
export const newLogicalId = () => LogicalId.parse(randomUUID());
