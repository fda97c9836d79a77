// The messages of agents, and the answers to them (docs/reference/blackboard.md#mail).
import { z } from "zod";
import { Artefact } from "../../model/artefact.ts";
import { BidWord } from "../../model/bid.ts";
import { ProcessMark } from "../../model/claim.ts";
import { ArtefactId, ClaimId, CommitHash } from "../../model/ids.ts";
import { Digest, KeptOutput } from "../../model/kept-output.ts";
import { maxPieces, Piece } from "../../model/pieces.ts";

const attempt = z.int().min(1);
const sentence = z.string().max(10_000);
const count = z.int().min(0);

/** One run reads, and its result names, at most so many artefacts. */
const maxIds = 20_000;
/** A goal has no more remarks. */
const maxRemarks = 100;

/** The beginning of a run: all of it comes from the agent, and is about its own run. */
export const RunStart = z.strictObject({
  run_id: z.uuid().optional(),
  run_by: ProcessMark.optional(),
  model_token: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  started_at: z.iso.datetime(),
  context_ids: z.array(ArtefactId).max(maxIds),
  base_commit: CommitHash.optional(),
});
export type RunStart = z.infer<typeof RunStart>;

/** What is left out is as the record has it. */
const MailedArtefact = Artefact.extend({ source_artefacts: z.array(ArtefactId).max(maxIds) })
  .partial()
  .required({ type: true, payload: true });
export type MailedArtefact = z.infer<typeof MailedArtefact>;

/** Digests name what the command has printed and was given, and ids what people said to it. */
const streams = {
  output: KeptOutput.optional(),
  stdin: Digest.optional(),
  remarks: z.array(ArtefactId).max(maxRemarks).optional(),
};

/** A piece of a list; all else about it is as the record has it. */
const MailedPiece = z.strictObject({
  ...Piece.shape,
  ...Artefact.pick({ type: true, payload: true, metadata: true }).shape,
});
export type MailedPiece = z.infer<typeof MailedPiece>;

const MailedResult = z.discriminatedUnion("outcome", [
  z.strictObject({
    outcome: z.literal("done"),
    artefact: MailedArtefact,
    ...streams,
    pieces: z.array(MailedPiece).min(1).max(maxPieces).optional(),
  }),
  z.strictObject({
    outcome: z.literal("asked"),
    artefact: MailedArtefact,
    ...streams,
    base: CommitHash.optional(),
  }),
  z.strictObject({
    outcome: z.literal("failed"),
    artefact: MailedArtefact,
    ...streams,
    reason: z.string().optional(),
    failureType: z.string().max(200).optional(),
  }),
]);
export type MailedResult = z.infer<typeof MailedResult>;

/**
 * The attempt that it is of. Left out: the present one. A message may be read twice, so that
 * programs name both.
 */
const ofAttempt = { attempt: attempt.optional(), queued_at: z.iso.datetime().optional() };

/** The agent is the one whose stream has the message: no message says who it is. */
export const Message = z.discriminatedUnion("say", [
  z.strictObject({
    say: z.literal("bid"),
    claim: ClaimId,
    word: BidWord,
    reason: sentence.optional(),
  }),
  z.strictObject({
    say: z.literal("asks_model"),
    claim: ClaimId,
    digest: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  z.strictObject({
    say: z.literal("started"),
    claim: ClaimId,
    ...ofAttempt,
    run: RunStart.optional(),
  }),
  z.strictObject({ say: z.literal("alive"), claim: ClaimId, attempt: ofAttempt.attempt }),
  z.strictObject({
    say: z.literal("prepares"),
    claim: ClaimId,
    attempt: ofAttempt.attempt,
    files: count.optional(),
    of: count.optional(),
    over: z.literal(true).optional(),
  }),
  z.strictObject({
    say: z.literal("result"),
    claim: ClaimId,
    ...ofAttempt,
    ended_at: z.iso.datetime().optional(),
    run: RunStart.optional(),
    result: MailedResult,
  }),
]);
export type Message = z.infer<typeof Message>;

/** The text of a stream's entry, with the host on which the agent runs. */
export const SentMessage = z.strictObject({
  host: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .optional(),
  /** Only a `no` is answered. */
  quiet: z.literal(true).optional(),
  message: Message,
});
export type SentMessage = z.infer<typeof SentMessage>;

/** Why a message does not count that the orchestrator cannot read: its sentence begins so. */
export const unreadMessage = "The message cannot be read";

/**
 * `yes`: it counts. `no`: it does not, with a sentence that says why. `word`: the bid on record.
 */
export const Reply = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("yes"), word: BidWord.optional() }),
  z.strictObject({ outcome: z.literal("no"), reason: z.string() }),
]);
export type Reply = z.infer<typeof Reply>;
