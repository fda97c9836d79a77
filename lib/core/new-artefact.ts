// Creates artefacts: every artefact that Sett makes gets all its fields here
// (docs/internals/claims.md#phases-and-results).
import type {
  Artefact,
  ArtefactHead,
  ArtefactMetadata,
  StructuralType,
} from "../model/artefact.ts";
import { type AgentName, ArtefactId, type ClaimId, type GoalId, LogicalId } from "../model/ids.ts";

/**
 * Names who makes the artefact, when (ISO 8601), and what for. `id` is new. `agent` or `claim` is
 * empty where no agent, or no claim, is involved.
 */
export type Origin = {
  id: string;
  at: string;
  role: string;
  agent: AgentName | "";
  goal: GoalId;
  claim: ClaimId | "";
};

export type Content = {
  structural_type: StructuralType;
  type: string;
  payload: string;
  /** A source that is named twice counts once, at its first place. */
  sources: readonly ArtefactId[];
  metadata: ArtefactMetadata;
};

/** The first version of a thread, which is named after it. */
export function newThread(origin: Origin, content: Content): Artefact {
  return artefact({ logical_id: LogicalId.parse(origin.id), version: 1 }, origin, content);
}

/** The version that follows `latest`, the last one of its thread. */
export function nextVersion(
  latest: Pick<ArtefactHead, "logical_id" | "version">,
  origin: Origin,
  content: Content,
): Artefact {
  return artefact({ logical_id: latest.logical_id, version: latest.version + 1 }, origin, content);
}

function artefact(
  place: Pick<Artefact, "logical_id" | "version">,
  origin: Origin,
  content: Content,
): Artefact {
  return {
    id: ArtefactId.parse(origin.id),
    ...place,
    structural_type: content.structural_type,
    type: content.type,
    payload: content.payload,
    source_artefacts: [...new Set(content.sources)],
    produced_by_role: origin.role,
    produced_by_agent: origin.agent,
    created_at: origin.at,
    goal_id: origin.goal,
    claim_id: origin.claim,
    metadata: content.metadata,
  };
}
