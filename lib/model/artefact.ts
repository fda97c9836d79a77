// The immutable record that agents and people post on the blackboard.
import { z } from "zod";
import { ArtefactId, ClaimId, CommitHash, GoalId, LogicalId } from "./ids.ts";

/**
 * The kind of an artefact, by which the orchestrator handles it. Only `Standard` ones get a claim
 * by themselves.
 */
export const StructuralType = z.enum([
  "Standard",
  "Review",
  "Question",
  "Answer",
  "Failure",
  "Terminal",
]);
export type StructuralType = z.infer<typeof StructuralType>;

/**
 * 16 MiB: the largest payload that the blackboard stores
 * (docs/reference/blackboard.md#fields-of-an-artefact).
 */
export const maxPayloadBytes = 16 * 1024 * 1024;

/**
 * 1 MiB: of `summary` and `metadata` together, as JSON. Unlike the payload, they are read for every
 * listing.
 */
export const maxMetadataBytes = 1024 * 1024;

/** UTF-16 units of an artefact's type. */
export const maxTypeLength = 200;

/**
 * Why an artefact has no content any more. `by`: the actor. `sha256`: of the record that it had,
 * where it had a salt. `commit`: the one that it had delivered.
 */
export const Erasure = z.strictObject({
  by: z.string(),
  at: z.iso.datetime(),
  reason: z.string(),
  sha256: z.string().optional(),
  commit: CommitHash.optional(),
});
export type Erasure = z.infer<typeof Erasure>;

/** `summary`, `commit` and `erased` are Sett's own; agents add what they like. */
export const ArtefactMetadata = z.looseObject({
  summary: z.string().optional(),
  commit: CommitHash.optional(),
});
export type ArtefactMetadata = z.infer<typeof ArtefactMetadata>;

/** Undefined for an artefact that has its content; agents cannot name `erased`. */
export function erasureIn({ erased }: Record<string, unknown>): Erasure | undefined {
  return Erasure.safeParse(erased).data;
}

/**
 * An artefact as in the tool's contract; on the blackboard it is a hash in which arrays and objects
 * are JSON text and `version` is decimal.
 */
export const Artefact = z.strictObject({
  id: ArtefactId,
  logical_id: LogicalId,
  version: z.int().min(1),
  structural_type: StructuralType,
  type: z.string().min(1).max(maxTypeLength),
  payload: z.string(),
  source_artefacts: z.array(ArtefactId),
  produced_by_role: z.string().min(1),
  /** Empty when no agent made it: a person, or the orchestrator. */
  produced_by_agent: z.string(),
  created_at: z.iso.datetime(),
  goal_id: GoalId,
  /** Empty when it is not the result of a claim. */
  claim_id: z.union([ClaimId, z.literal("")]),
  metadata: ArtefactMetadata,
});
export type Artefact = z.infer<typeof Artefact>;

/** An artefact without its payload: enough to decide about it. */
export type ArtefactHead = Omit<Artefact, "payload">;

/** The type of the artefact that a workflow starts from. */
export const goalType = "GoalDefined";

/** An artefact of this type promises that its payload is a commit. */
export const codeCommitType = "CodeCommit";

/** The type of the Question that the orchestrator posts for reviewers' feedback on a goal. */
export const goalFeedbackType = "GoalFeedback";

/**
 * Whether a person's answer becomes the goal's next version. A Question of an agent never is one,
 * whatever its type.
 */
export function isGoalFeedback(
  one: Pick<Artefact, "structural_type" | "type" | "produced_by_agent">,
): boolean {
  return (
    one.structural_type === "Question" &&
    one.type === goalFeedbackType &&
    one.produced_by_agent === ""
  );
}

/** The role recorded for what people post. */
export const userRole = "user";

/** The role recorded for the Failures and Questions that the orchestrator posts itself. */
export const orchestratorRole = "orchestrator";
