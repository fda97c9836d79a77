// The file of `sett prune`: one JSON object a line. First the header; then, goal by goal, the goal,
// its artefacts, their claims and grants, the answers that counted, and its calls of language
// models; then the events of all these goals in the order of the log, and what their decisions were
// based on; last the seal.
import { z } from "zod";
import { Artefact } from "../../../lib/model/artefact.ts";
import { Claim, Grant } from "../../../lib/model/claim.ts";
import { SettEvent } from "../../../lib/model/event.ts";
import { FactDigest } from "../../../lib/model/fact.ts";
import { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { CallRecord } from "../../../lib/model/model-call.ts";

export const ArchiveHeader = z.object({
  sett_archive: z.literal(1),
  instance: z.string(),
  /** The program that wrote it. */
  version: z.string(),
  created_at: z.iso.datetime(),
  /** Goals that had not changed since then were moved. */
  before: z.iso.datetime(),
});
export type ArchiveHeader = z.infer<typeof ArchiveHeader>;

export const ArchivedGoal = z.object({
  id: GoalId,
  state: z.string(),
  ended: z.string().nullable(),
  artefacts: z.int(),
  claims: z.int(),
});
export type ArchivedGoal = z.infer<typeof ArchivedGoal>;

/** `sha256`: the digest of all bytes before this line. */
const Seal = z.object({ lines: z.int(), sha256: z.string() });

/** Later versions may add members, and kinds of lines. */
export const ArchiveLine = z.union([
  z.object({ goal: ArchivedGoal }),
  z.object({
    artefact: Artefact,
    /** Its record has it (docs/reference/proof.md); older archives and artefacts have none. */
    salt: z.string().optional(),
    /** The record in base64, where salt and artefact do not give its bytes. */
    record: z.string().optional(),
    /** It has no record any more. */
    erased: z.literal(true).optional(),
  }),
  z.object({ claim: Claim, cause: z.string(), grants: z.array(Grant) }),
  z.object({ question: ArtefactId, answer: ArtefactId }),
  z.object({ call: CallRecord }),
  z.object({ event: SettEvent }),
  z.object({ fact: z.object({ digest: FactDigest, text: z.string() }) }),
  z.object({ seal: Seal }),
]);
export type ArchiveLine = z.infer<typeof ArchiveLine>;
