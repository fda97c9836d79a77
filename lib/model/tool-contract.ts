// An agent's command gets this on stdin, and must print this on stdout
// (docs/reference/tool-contract.md).
import { z } from "zod";
import { Artefact, type ArtefactMetadata, StructuralType } from "./artefact.ts";
import { BidWord } from "./bid.ts";
import { ArtefactId, ClaimId } from "./ids.ts";
import { EndedPiece, maxKeyLength, maxPieces } from "./pieces.ts";

/** The agent's bid, for which it has the grant. It tells the tool which kind of work is wanted. */
const ClaimType = BidWord.exclude(["ignore"]);

export const ToolInput = z.strictObject({
  claim_type: ClaimType,
  claim_id: ClaimId,
  target_artefact: Artefact,
  /** Oldest first. */
  context_chain: z.array(Artefact),
  additional_context: z.array(Artefact),
  /**
   * Only where the target is a list of pieces: what came of each. `results` and `failures` are ids
   * of artefacts in `additional_context`.
   */
  pieces: z.array(EndedPiece).optional(),
});
export type ToolInput = z.infer<typeof ToolInput>;

/**
 * Writes one line of JSON. It ends in a line break because `read` in a shell reports failure
 * without one.
 */
export function formatToolInput(input: ToolInput): string {
  return `${JSON.stringify(input)}\n`;
}

/**
 * Stored as UTF-8, which has no place for half a surrogate pair (JSON can spell one: `"\ud800"`).
 */
const storedText = z.string().refine((text) => text.isWellFormed(), {
  error: "has half a surrogate pair, which is not valid text",
});

/** An agent may add these to its artefact. `summary` and `commit` are recorded by Sett. */
const AddedMetadata = z
  .record(z.string(), z.json())
  .refine((metadata) => !("commit" in metadata), {
    error:
      "must not have the key `commit`: Sett records the commit itself, from the working copy's HEAD",
  })
  .refine((metadata) => !("changed_paths" in metadata), {
    error: "must not have the key `changed_paths`: Sett records what a commit changes itself",
  })
  .refine((metadata) => !("pieces" in metadata), {
    error: "must not have the key `pieces`: print `artefacts` beside `metadata`",
  })
  .refine((metadata) => !("summary" in metadata), {
    error: "must not have the key `summary`: print it beside `metadata`",
  });

const ChosenStructuralType = z.enum(StructuralType.options, {
  error: "must be Standard, Review, Question, Answer, Failure or Terminal",
});

/** The structural types that have a short form. */
export const ShortForm = z.enum(["Question", "Review", "Answer"]);

const ArtefactType = storedText
  .min(1, { error: "must not be empty" })
  .max(200, { error: "must have at most 200 characters" });

/** A piece of a list: a Standard artefact that is posted with it. */
const PrintedPiece = z.strictObject({
  /** Names the piece among those of its list. */
  key: storedText
    .min(1, { error: "must not be empty" })
    .max(maxKeyLength, { error: `must have at most ${maxKeyLength} characters` }),
  artefact_type: ArtefactType,
  /** Text is stored as it is, any other JSON compactly. */
  artefact_payload: z.json(),
  summary: storedText,
  metadata: AddedMetadata.optional(),
});

export const FullToolOutput = z.strictObject({
  artefact_type: ArtefactType,
  /** A string is stored as it is, any other JSON compactly. */
  artefact_payload: z.unknown(),
  summary: storedText,
  structural_type: ChosenStructuralType.default("Standard"),
  metadata: AddedMetadata.optional(),
  /** Only a Question has it. */
  about: ArtefactId.optional(),
  /** Only a Standard artefact has them, which is then a list of pieces. */
  artefacts: z
    .array(PrintedPiece)
    .min(1, { error: "must not be empty: leave it out where there are no pieces" })
    .max(maxPieces, { error: `must have at most ${maxPieces} pieces` })
    .refine((pieces) => new Set(pieces.map(({ key }) => key)).size === pieces.length, {
      error: "must not have two pieces of the same key",
    })
    .optional(),
});
export type FullToolOutput = z.infer<typeof FullToolOutput>;

/** The short form; the artefact's type is the structural type's name. */
export const ShortToolOutput = z.strictObject({
  structural_type: ShortForm,
  payload: z.unknown(),
  summary: storedText.optional(),
  metadata: AddedMetadata.optional(),
  about: ArtefactId.optional(),
});
export type ShortToolOutput = z.infer<typeof ShortToolOutput>;

/** The content of a tool's output: those parts of the artefact that the tool decides. */
export type ToolResult = Pick<Artefact, "structural_type" | "type" | "payload"> & {
  summary?: string;
  /** The metadata without `summary` and `commit`. */
  metadata: ArtefactMetadata;
  /** The artefact that a Question is about, when the tool named one. */
  about?: ArtefactId;
  /** Of a list. */
  pieces?: ResultPiece[];
};

/** The content of a piece, which the tool decides. */
export type ResultPiece = Pick<Artefact, "type" | "payload"> & {
  key: string;
  summary: string;
  metadata: ArtefactMetadata;
};

/** The type of the Failure artefact posted for a tool that broke the contract. */
export const toolFailureType = "ToolExecutionFailure";

/** The payload of a `ToolExecutionFailure`, as JSON. */
export const FailureReport = z.strictObject({
  reason: z.string(),
  /** Null when a signal ended the tool or it never started. */
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  /** Null when it never started. */
  duration_ms: z.int().nullable(),
  /** Decoded leniently as UTF-8; the middle of a long one is left out. */
  stdout: z.string(),
  stderr: z.string(),
});
export type FailureReport = z.infer<typeof FailureReport>;
