// Reads the bytes on a tool's stdout: the result is the content of its artefact, or the reason of
// its Failure.
import { isApproval } from "../model/approval.ts";
import {
  type Artefact,
  codeCommitType,
  maxMetadataBytes,
  maxPayloadBytes,
  type StructuralType,
} from "../model/artefact.ts";
import type { ClaimKind } from "../model/claim.ts";
import { problemOfType } from "../model/own-types.ts";
import { type Phase, phaseTable } from "../model/phase.ts";
import { maySpellHalfPair, textProblem } from "../model/text-problem.ts";
import {
  FullToolOutput,
  type ResultPiece,
  ShortForm,
  ShortToolOutput,
  type ToolResult,
} from "../model/tool-contract.ts";
import { compactJson, memberText } from "./json-text.ts";
import { parseOneObject } from "./parse-one-object.ts";

export type ReadToolOutput = { ok: true; result: ToolResult } | { ok: false; reason: string };

/**
 * The limit of the list of problems in a reason: a tool may have written ten thousand unknown keys.
 */
const maxListLength = 2000;

/**
 * The grant decides which answers are valid. `target`: the type of the target artefact. `source`:
 * which of Sett's own workers has printed it, if one has.
 */
export type GrantContext = {
  phase: Phase;
  kind: ClaimKind;
  target: string;
  source?: "worker" | "lane" | undefined;
};

/**
 * Never throws. `reason` is one or two sentences, without the output itself but for a short
 * quotation.
 */
export function readToolOutput(stdout: Uint8Array, granted: GrantContext): ReadToolOutput {
  const object = parseOneObject(stdout);
  if (!object.ok) return object;
  try {
    return isShortForm(object.value)
      ? readShort(object.value, object.text, granted)
      : readFull(object.value, object.text, granted);
  } catch (error) {
    // Checking and copying metadata recurses into it; the payload is never walked.
    if (error instanceof RangeError)
      return refuse("The `metadata` in the tool's output is nested too deeply.");
    throw error;
  }
}

function isShortForm(value: Record<string, unknown>): boolean {
  const isFull = "artefact_type" in value || "artefact_payload" in value;
  return !isFull && ShortForm.safeParse(value.structural_type).success;
}

function readFull(value: unknown, text: string, granted: GrantContext): ReadToolOutput {
  const checked = FullToolOutput.safeParse(value);
  if (!checked.success) return mismatch(checked.error.issues, Object.keys(FullToolOutput.shape));
  const { artefact_type, artefact_payload, structural_type, artefacts, ...rest } = checked.data;
  const payload = storedPayload(artefact_payload, text, "artefact_payload");
  const read = toResult(
    { ...rest, structural_type, type: artefact_type, printed: artefact_payload, payload },
    granted,
  );
  if (!read.ok || artefacts === undefined) return read;
  const pieces = artefacts.map(pieceOf);
  const problem = problemOfPieces(read.result, pieces, granted);
  return problem === undefined ? { ok: true, result: { ...read.result, pieces } } : refuse(problem);
}

function pieceOf({
  artefact_type,
  artefact_payload: printed,
  key,
  summary,
  metadata = {},
}: NonNullable<FullToolOutput["artefacts"]>[number]): ResultPiece {
  const payload = typeof printed === "string" ? printed : JSON.stringify(printed);
  return { key, type: artefact_type, payload, summary, metadata };
}

/** A sentence; undefined where nothing is wrong. */
function problemOfPieces(
  { structural_type, type }: ToolResult,
  pieces: readonly ResultPiece[],
  granted: GrantContext,
): string | undefined {
  if (structural_type !== "Standard")
    return `The tool printed \`artefacts\` beside a ${structural_type}: only a Standard artefact is a list of pieces.`;
  let [bytes, metadataBytes] = [0, 0];
  for (const piece of pieces) {
    const about = `Piece ${JSON.stringify(piece.key)} in the tool's output`;
    const wrongType = problemOfType({ ...piece, structural_type }, granted.source ?? "command");
    if (wrongType !== undefined) return `${about} has ${wrongType}: no agent may use it.`;
    if (piece.type === codeCommitType)
      return `${about} is a ${codeCommitType}: a commit is a result by itself. Let the piece say what is to be done.`;
    if (piece.type === type) return `${about} has the type of its list, ${type}: give it another.`;
    const problem = textProblem({ payload: piece.payload, metadata: piece.metadata });
    if (problem !== undefined) return `${about} ${problem}.`;
    bytes += new TextEncoder().encode(piece.payload).byteLength;
    metadataBytes += new TextEncoder().encode(
      JSON.stringify({ summary: piece.summary, key: piece.key, ...piece.metadata }),
    ).byteLength;
  }
  if (bytes > maxPayloadBytes)
    return `The payloads of the pieces in the tool's output have ${bytes} bytes; at most ${maxPayloadBytes} (16 MiB) are allowed.`;
  if (metadataBytes > maxMetadataBytes)
    return `\`summary\`, \`key\` and \`metadata\` of the pieces in the tool's output have ${metadataBytes} bytes; at most ${maxMetadataBytes} (1 MiB) are allowed.`;
  return undefined;
}

function readShort(value: unknown, text: string, granted: GrantContext): ReadToolOutput {
  const checked = ShortToolOutput.safeParse(value);
  if (!checked.success) return mismatch(checked.error.issues, Object.keys(ShortToolOutput.shape));
  const { structural_type, payload: printed, ...rest } = checked.data;
  const payload = storedPayload(printed, text, "payload");
  return toResult({ ...rest, structural_type, type: structural_type, printed, payload }, granted);
}

/** `printed`: the value whose text is the payload. */
type Draft = Pick<Artefact, "structural_type" | "type" | "payload"> &
  Pick<FullToolOutput, "metadata" | "about"> & { summary?: string | undefined; printed: unknown };

function toResult(
  { summary, metadata = {}, about, printed, ...draft }: Draft,
  granted: GrantContext,
): ReadToolOutput {
  const halfPair = maySpellHalfPair(draft.payload)
    ? textProblem(printed, { maxDepth: Number.POSITIVE_INFINITY })
    : undefined;
  if (halfPair !== undefined) return refuse(`The payload in the tool's output ${halfPair}.`);
  const payloadBytes = new TextEncoder().encode(draft.payload).byteLength;
  if (payloadBytes > maxPayloadBytes) {
    return refuse(
      `The payload in the tool's output has ${payloadBytes} bytes; at most ${maxPayloadBytes} (16 MiB) are allowed.`,
    );
  }
  const wrongType = problemOfType(draft, granted.source ?? "command");
  if (wrongType !== undefined)
    return refuse(
      `The tool printed ${wrongType}: no agent may use it. Print a type of another name.`,
    );
  const problem = textProblem(metadata);
  if (problem !== undefined) return refuse(`\`metadata\` in the tool's output ${problem}.`);
  const metadataBytes = new TextEncoder().encode(
    JSON.stringify({ summary, ...metadata }),
  ).byteLength;
  if (metadataBytes > maxMetadataBytes) {
    return refuse(
      `\`summary\` and \`metadata\` in the tool's output have ${metadataBytes} bytes; at most ${maxMetadataBytes} (1 MiB) are allowed.`,
    );
  }
  if (about !== undefined && draft.structural_type !== "Question")
    return refuse("Only a Question can be `about` an artefact.");
  const isBlank = draft.payload.trim() === "";
  if (isBlank && (draft.structural_type === "Question" || draft.structural_type === "Answer"))
    return refuse(`The tool's ${draft.structural_type} is empty.`);
  // Any other result of an agent that does not understand questions must not count as an answer.
  const isReply =
    draft.structural_type === "Answer" ||
    draft.structural_type === "Question" ||
    draft.structural_type === "Failure";
  if (granted.kind === "clarification" && !isReply)
    return refuse(
      `The tool's target is a Question, and the tool printed a ${draft.structural_type}. Print an Answer, a Question or a Failure.`,
    );
  if (draft.structural_type === "Answer" && granted.kind !== "clarification")
    return refuse("The tool printed an Answer, but its target is not a Question.");
  // As the result of a rework, either would end the feedback loop without the reviewers: no agent
  // bids on it.
  if (granted.kind === "rework" && draft.structural_type === "Review")
    return refuse(
      `The tool must print a new version of its ${granted.target}, and printed a Review. Print a Standard artefact.`,
    );
  if (granted.kind === "rework" && draft.structural_type === "Terminal")
    return refuse(
      `The tool must print a new version of its ${granted.target}, and printed a Terminal. Reviewers check the new version first, so print it as Standard.`,
    );
  if (
    draft.structural_type === "Review" &&
    granted.phase !== "review" &&
    isApproval(draft.payload)
  ) {
    const word = `\`${phaseTable[granted.phase].bid}\``;
    return refuse(
      `The tool printed a Review that approves, but its agent bid ${word} and not \`review\`: its Review can only send the target back. Print what the work has made.`,
    );
  }
  if (granted.kind === "rework" && !isReply && draft.type !== granted.target)
    return refuse(
      `The tool must print a new version of its ${granted.target}, and printed the type ${draft.type}. A new version must have the same type.`,
    );
  const result: ToolResult = {
    ...draft,
    structural_type: structuralTypeIn(granted, draft.structural_type),
    metadata,
  };
  if (summary !== undefined) result.summary = summary;
  if (about !== undefined) result.about = about;
  return { ok: true, result };
}

/** The result of a review grant is stored as a Review, unless it is a Question or a Failure. */
function structuralTypeIn({ phase }: GrantContext, chosen: StructuralType): StructuralType {
  return phase !== "review" || chosen === "Question" || chosen === "Failure" ? chosen : "Review";
}

/**
 * JSON other than a string is stored as the tool wrote it, without white space, so that no digit of
 * a number is lost.
 */
function storedPayload(
  payload: unknown,
  text: string,
  key: "artefact_payload" | "payload",
): string {
  if (typeof payload === "string") return payload;
  return compactJson(memberText(text, key) ?? "null");
}

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string; keys?: string[] };

function mismatch(issues: readonly Issue[], knownKeys: string[]): ReadToolOutput {
  const problems = issues.map(({ code, path, message, keys = [] }) => {
    if (code === "unrecognized_keys" && path.length === 0) {
      return `unknown ${keys.length === 1 ? "key" : "keys"} ${keys.map((key) => JSON.stringify(key)).join(", ")} (the known keys are ${knownKeys.join(", ")})`;
    }
    const isMissing = /received undefined$/.test(message);
    return `\`${path.map(String).join(".")}\` ${isMissing ? "is missing" : sentenceOf(message)}`;
  });
  const list = problems.join("; ");
  const shortList = list.length > maxListLength ? `${list.slice(0, maxListLength)}…` : list;
  return refuse(`The tool's output does not match the contract: ${shortList}.`);
}

const kinds: Record<string, string> = {
  string: "text",
  record: "an object",
  object: "an object",
  array: "a list",
  number: "a number",
};

/** The message of the schema library; where it is about types, in plain words. */
function sentenceOf(message: string): string {
  const [, expected = "", received] =
    /^Invalid input: expected (\w+)(?:, received (\w+))?$/.exec(message) ?? [];
  if (kinds[expected] === undefined) return message.replace(/^Invalid/, "invalid");
  return `must be ${kinds[expected]}${received === undefined ? "" : `, not ${kinds[received] ?? received}`}`;
}

function refuse(reason: string): ReadToolOutput {
  return { ok: false, reason };
}
