// Whether the result that an agent sends can be the result of its grant: the record takes from it
// what the work has made, and nothing else.
import { z } from "zod";
import { isApproval } from "../../model/approval.ts";
import {
  Artefact,
  type ArtefactHead,
  codeCommitType,
  maxMetadataBytes,
  maxPayloadBytes,
  type StructuralType,
} from "../../model/artefact.ts";
import { maxPathsBytes } from "../../model/changed-paths.ts";
import type { Claim, RunningGrant } from "../../model/claim.ts";
import { LogicalId } from "../../model/ids.ts";
import { type LaneName, landedType, laneMoveOf } from "../../model/lane.ts";
import { problemOfType } from "../../model/own-types.ts";
import { Piece } from "../../model/pieces.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { GrantResult } from "../port/grants.ts";
import type { MailedPiece, MailedResult } from "../port/mail.ts";

/** The cub adds it to what the tool has written. The files that it changes are bounded apart. */
const roomForCommit = 1024;

/**
 * `role`, `lane`: as the agent is registered. `target`: the claim's artefact, where the claim is a
 * rework of it.
 */
export type ResultOrigin = {
  claim: Pick<Claim, "id" | "artefact_id" | "goal_id" | "kind">;
  grant: Pick<RunningGrant, "agent" | "phase">;
  role: string;
  /** The lane that the agent merges onto; missing for any other agent. */
  lane?: LaneName | undefined;
  target: Pick<ArtefactHead, "logical_id" | "version"> | undefined;
  /** Where the claim is the rework of a list: key → the newest version of that piece. */
  pieces?: ReadonlyMap<string, PieceBefore>;
};

export type PieceBefore = Pick<ArtefactHead, "logical_id" | "version" | "type">;

/** `newId`: the same one each time that the message is read; asked for only where it is needed. */
export type Fresh = { newId: () => string; at: string };

/**
 * What the message leaves out is as the record has it. `fresh`: the artefact's time, whatever the
 * message says, and its id where it has none.
 */
export function wholeResult(mailed: MailedResult, origin: ResultOrigin, fresh: Fresh): GrantResult {
  const { claim, grant, role, target } = origin;
  const isNextVersion =
    mailed.outcome === "done" && claim.kind === "rework" && target !== undefined;
  const id = mailed.artefact.id ?? (fresh.newId() as Artefact["id"]);
  const artefact = {
    id,
    logical_id: isNextVersion ? target.logical_id : LogicalId.parse(id),
    version: isNextVersion ? target.version + 1 : 1,
    structural_type: typesOf(mailed.outcome, origin)[0],
    source_artefacts: [claim.artefact_id],
    produced_by_role: role,
    produced_by_agent: grant.agent,
    goal_id: claim.goal_id,
    claim_id: claim.id,
    metadata: {},
    ...mailed.artefact,
    created_at: fresh.at,
  };
  const reason = mailed.outcome === "failed" ? { reason: mailed.reason ?? artefact.type } : {};
  // Only what comes with its pieces is a list, and `sett erase` alone says that it has erased one.
  const { pieces: _, erased: __, ...metadata } = artefact.metadata ?? {};
  if (mailed.outcome !== "done" || mailed.pieces === undefined)
    // What was read from JSON has no member that is undefined.
    return { ...mailed, ...reason, artefact: { ...artefact, metadata } } as GrantResult;
  const named = mailed.pieces.map(({ key, id }) => ({ key, id }));
  const list = { ...artefact, metadata: { ...metadata, pieces: named } } as Artefact;
  const pieces = mailed.pieces.map((piece) => wholePiece(piece, list, origin.pieces));
  return {
    ...withoutUndefined({ output: mailed.output, stdin: mailed.stdin, remarks: mailed.remarks }),
    outcome: "done",
    artefact: list,
    pieces,
  };
}

/** The next version of the piece of the same key and type before it, or a thread of its own. */
function wholePiece(
  { key, id, type, payload, metadata }: MailedPiece,
  list: Artefact,
  before: ResultOrigin["pieces"],
): Artefact {
  const known = before?.get(key);
  const isNext = known?.type === type;
  // A piece is no list: by these names its rework would go on in threads of others.
  const { pieces: _, erased: __, ...own } = metadata;
  return {
    ...list,
    id,
    logical_id: isNext ? known.logical_id : LogicalId.parse(id),
    version: isNext ? known.version + 1 : 1,
    structural_type: "Standard",
    ...{ type, payload, metadata: own, source_artefacts: [list.id] },
  };
}

/**
 * The result without what `wholeResult` makes of the record again: each message is written to
 * Redis' file. The role is the record's in any case, for `sett up` may give the agent another one
 * while it works.
 */
export function mailedResult(
  result: GrantResult,
  { claim, agent }: { claim: string; agent: string },
): MailedResult {
  const { logical_id, version, produced_by_agent, produced_by_role, claim_id, ...whole } =
    result.artefact;
  const { pieces: named, ...metadata } = whole.metadata;
  const rest = { ...whole, metadata };
  // A result of the type Standard may be the next version of a thread.
  const isFirst = beginsThread(result.artefact) && rest.structural_type !== "Standard";
  const artefact = {
    ...(!isFirst && { logical_id, version }),
    ...(produced_by_agent !== agent && { produced_by_agent }),
    ...(claim_id !== claim && { claim_id }),
    ...rest,
  };
  if (result.outcome !== "done" || result.pieces === undefined)
    return { ...result, artefact } as MailedResult;
  const keys = z
    .array(Piece)
    .parse(named)
    .map(({ key }) => key);
  const pieces = result.pieces.map(({ id, type, payload, metadata: own }, place) => ({
    ...{ key: keys[place] ?? "", id, type, payload, metadata: own },
  }));
  return { ...result, artefact, pieces };
}

/** `wholeResult` makes it of values that were checked where the message was read. */
const madeOfChecked: ReadonlySet<string> = new Set([
  "logical_id",
  "version",
  "produced_by_agent",
  "produced_by_role",
  "claim_id",
]);
const others = (Object.keys(Artefact.shape) as (keyof Artefact)[]).filter(
  (name) => !madeOfChecked.has(name),
);

/** The message leaves nothing of its artefact out that would have to be checked now. */
export function saysEnough({ artefact }: MailedResult): boolean {
  return others.every((name) => artefact[name] !== undefined);
}

/** A sentence; undefined where nothing is wrong. */
export function mailedResultProblem(result: GrantResult, origin: ResultOrigin): string | undefined {
  const { outcome, artefact } = result;
  const { claim, grant, role, target } = origin;
  const { structural_type, source_artefacts } = artefact;
  if (artefact.produced_by_agent !== grant.agent)
    return `The result says that agent ${artefact.produced_by_agent} has made it.`;
  if (artefact.produced_by_role !== role)
    return `The result is of role ${artefact.produced_by_role}, and its agent's is ${role}.`;
  if (artefact.claim_id !== claim.id)
    return `The result is of claim ${artefact.claim_id || "none"}.`;
  if (artefact.goal_id !== claim.goal_id)
    return `The result is of goal ${artefact.goal_id}, and its claim of ${claim.goal_id}.`;
  const isNextVersion = outcome === "done" && claim.kind === "rework";
  if (isNextVersion ? artefact.logical_id !== target?.logical_id : !beginsThread(artefact))
    return `The result cannot be version ${artefact.version} of thread ${artefact.logical_id}.`;
  const allowed = typesOf(outcome, origin);
  if (!allowed.includes(structural_type))
    return `This work ends with ${allowed.join(" or ")}, and not with ${structural_type}.`;
  if (structural_type === "Review" && grant.phase !== "review" && isApproval(artefact.payload))
    return "The result approves, and its work is no review: it can only send its target back.";
  const problem = problemOfType(artefact, origin.lane === undefined ? "agent" : "lane");
  if (problem !== undefined) return `The result has ${problem}.`;
  const move = laneMoveOf(artefact);
  const isMove = move?.lane === origin.lane && move?.commit === artefact.payload;
  if (artefact.type === landedType && !isMove)
    return `The result does not say from where to where the lane ${origin.lane} moves.`;
  // What follows a failure depends on this word, and people see the other.
  if (
    result.outcome === "failed" &&
    result.failureType !== undefined &&
    result.failureType !== artefact.type
  )
    return `The result is a failure of type ${artefact.type}, and says that it is one of type ${result.failureType}.`;
  // The first source of an answer is its question.
  if (structural_type === "Answer" && source_artefacts[0] !== claim.artefact_id)
    return `An answer names its question ${claim.artefact_id} first.`;
  if (structural_type !== "Failure" && !source_artefacts.includes(claim.artefact_id))
    return `The result does not name ${claim.artefact_id}, which its claim is about.`;
  const ofPieces = result.outcome === "done" && problemOfPieces(artefact, result.pieces ?? []);
  if (ofPieces) return ofPieces;
  const { changed_paths: paths = [], pieces: _, ...metadata } = artefact.metadata;
  if (bytesOf(JSON.stringify(paths)) > maxPathsBytes)
    return `The files that the commit changes have more than ${maxPathsBytes} bytes.`;
  const metadataBytes = bytesOf(JSON.stringify(metadata));
  if (metadataBytes > maxMetadataBytes + roomForCommit)
    return `The metadata have ${metadataBytes} bytes; at most ${maxMetadataBytes} (1 MiB) are allowed.`;
  const bytes = bytesOf(artefact.payload);
  return bytes > maxPayloadBytes
    ? `The payload has ${bytes} bytes; at most ${maxPayloadBytes} (16 MiB) are allowed.`
    : undefined;
}

function problemOfPieces(
  { id, structural_type, type, metadata: { pieces: named } }: Artefact,
  pieces: readonly Artefact[],
): string | undefined {
  if (pieces.length === 0) return undefined;
  if (structural_type !== "Standard") return `A ${structural_type} has no pieces.`;
  let [bytes, metadataBytes] = [0, 0];
  for (const piece of pieces) {
    const problem = problemOfType(piece, "agent");
    if (problem !== undefined) return `A piece has ${problem}.`;
    if (piece.type === type || piece.type === codeCommitType)
      return `A piece cannot be of type ${piece.type}.`;
    const { commit, changed_paths: paths } = piece.metadata;
    if (commit !== undefined || paths !== undefined) return "A piece names no commit.";
    bytes += bytesOf(piece.payload);
    metadataBytes += bytesOf(JSON.stringify(piece.metadata));
  }
  if (hasTwice([id, ...pieces.map((piece) => piece.id)]))
    return "Two of the list and its pieces have the same id.";
  // In a rework both would be the next version of one thread.
  if (hasTwice((z.array(Piece).safeParse(named).data ?? []).map(({ key }) => key)))
    return "Two pieces have the same key.";
  if (bytes > maxPayloadBytes)
    return `The payloads of the pieces have ${bytes} bytes; at most ${maxPayloadBytes} (16 MiB) are allowed.`;
  return metadataBytes > maxMetadataBytes
    ? `The metadata of the pieces have ${metadataBytes} bytes; at most ${maxMetadataBytes} (1 MiB) are allowed.`
    : undefined;
}

function hasTwice(words: readonly string[]): boolean {
  return new Set(words).size < words.length;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function beginsThread({ id, logical_id, version }: Artefact): boolean {
  return String(logical_id) === String(id) && version === 1;
}

function typesOf(
  outcome: GrantResult["outcome"],
  { claim, grant }: ResultOrigin,
): readonly [StructuralType, ...StructuralType[]] {
  if (outcome === "asked") return ["Question"];
  if (outcome === "failed") return ["Failure"];
  if (grant.phase === "review") return ["Review"];
  if (claim.kind === "clarification") return ["Answer"];
  return claim.kind === "rework" ? ["Standard"] : ["Standard", "Terminal", "Review"];
}
