// The fields of an artefact on the blackboard.

/** They are in the order in which the Lua functions get them. */
export const artefactFieldNames = [
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "payload",
  "source_artefacts",
  "produced_by_role",
  "produced_by_agent",
  "created_at",
  "goal_id",
  "claim_id",
  "metadata",
] as const;

export type ArtefactFieldName = (typeof artefactFieldNames)[number];
export type ArtefactFields = Record<ArtefactFieldName, string>;
