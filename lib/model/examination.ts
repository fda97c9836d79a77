// A look at a grant beside the record (`sett shell`, `sett rerun`): what its container gets, and
// what comes of the command there.
import { z } from "zod";
import { AgentRegistration } from "./agent.ts";
import { Artefact, StructuralType } from "./artefact.ts";
import { Claim } from "./claim.ts";
import { AgentName, ArtefactId, CommitHash } from "./ids.ts";
import { Phase } from "./phase.ts";

/** The order is in the workspace under this name until the cub has read it. */
export const orderFile = "order.json";

/** What the cub says of it is on lines of its log that begin so: in pieces, in base64. */
export const reportMark = "sett-examination ";

/** The shell can begin. The path of the file with the command's input is after it. */
export const readyMark = "sett-examination-ready ";

/**
 * All that the command was given, from the record. `recorded`: the commit that came of it then,
 * with which a new one is compared. `version`: of the Sett that orders it.
 */
export const ExaminationOrder = z.strictObject({
  version: z.string(),
  registration: AgentRegistration,
  claim: Claim.pick({
    id: true,
    artefact_id: true,
    goal_id: true,
    kind: true,
    additional_context_ids: true,
    pieces: true,
  }),
  grant: z.strictObject({
    agent: AgentName,
    phase: Phase,
    attempt: z.int().min(1),
    queued_at: z.iso.datetime(),
    dialogue: z.array(ArtefactId).optional(),
  }),
  earlier: z.array(ArtefactId),
  target: Artefact,
  context_chain: z.array(Artefact),
  additional_context: z.array(Artefact),
  base: CommitHash.optional(),
  start: CommitHash.optional(),
  recorded: CommitHash.optional(),
});
export type ExaminationOrder = z.infer<typeof ExaminationOrder>;

/** A digest is of the whole text. `text`: undefined where it is too long to be shown. */
const Text = z.strictObject({ digest: z.string(), text: z.string().optional() });

/**
 * A result without what differs from run to run: ids, times, and the hash of its own commit.
 * `tree`: of the files of its commit.
 */
export const ComparableResult = z.strictObject({
  structural_type: StructuralType,
  type: z.string(),
  summary: Text,
  payload: Text,
  metadata: Text,
  tree: z.string().optional(),
  pieces: z.array(
    z.strictObject({
      key: z.string(),
      type: z.string(),
      summary: Text,
      payload: Text,
      metadata: Text,
    }),
  ),
});
export type ComparableResult = z.infer<typeof ComparableResult>;

/**
 * `changed`: the files in which its commit differs from the recorded one. `refused`: nothing was
 * run, for this reason.
 */
export const ExaminationReport = z.discriminatedUnion("outcome", [
  z.strictObject({
    outcome: z.literal("ended"),
    result: ComparableResult,
    changed: z.array(z.string()).optional(),
  }),
  z.strictObject({ outcome: z.literal("refused"), reason: z.string() }),
]);
export type ExaminationReport = z.infer<typeof ExaminationReport>;
