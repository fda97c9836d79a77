// From the bytes on a tool's stdout to what its artefact will be, or to the sentence that its Failure will give.
import { type Artefact, maxPayloadBytes, type StructuralType } from "../model/artefact.ts";
import type { ClaimKind } from "../model/claim.ts";
import { type Phase, phaseTable } from "../model/phase.ts";
import { FullToolOutput, ShortForm, ShortToolOutput, type ToolResult } from "../model/tool-contract.ts";
import { compactJson, memberText } from "./json-text.ts";
import { parseOneObject } from "./parse-one-object.ts";

export type ReadToolOutput = { ok: true; result: ToolResult } | { ok: false; reason: string };

/** What a tool may add beside its payload, as JSON: it is read with every listing, unlike the payload. */
const maxMetadataBytes = 1024 * 1024;

/** Of the problems listed in a reason: a tool may have written ten thousand unknown keys. */
const maxListLength = 2000;

/** What the tool was granted decides what its answer is taken for. `target`: the type of the artefact that it was given. */
export type Granted = { phase: Phase; kind: ClaimKind; target: string };

/** Never throws. `reason` is one or two sentences, without the output itself but for a short quotation. */
export function readToolOutput(stdout: Uint8Array, granted: Granted): ReadToolOutput {
  const object = parseOneObject(stdout);
  if (!object.ok) return object;
  try {
    return isShortForm(object.value)
      ? readShort(object.value, object.text, granted)
      : readFull(object.value, object.text, granted);
  } catch (error) {
    // Checking and copying metadata recurses into it; the payload is never walked.
    if (error instanceof RangeError) return refuse("The `metadata` in the tool's output is nested too deeply.");
    throw error;
  }
}

function isShortForm(value: Record<string, unknown>): boolean {
  const isFull = "artefact_type" in value || "artefact_payload" in value;
  return !isFull && ShortForm.safeParse(value.structural_type).success;
}

function readFull(value: unknown, text: string, granted: Granted): ReadToolOutput {
  const checked = FullToolOutput.safeParse(value);
  if (!checked.success) return mismatch(checked.error.issues, Object.keys(FullToolOutput.shape));
  const { artefact_type, artefact_payload, structural_type, ...rest } = checked.data;
  return toResult(
    { ...rest, structural_type, type: artefact_type, payload: storedPayload(artefact_payload, text, "artefact_payload") },
    granted,
  );
}

function readShort(value: unknown, text: string, granted: Granted): ReadToolOutput {
  const checked = ShortToolOutput.safeParse(value);
  if (!checked.success) return mismatch(checked.error.issues, Object.keys(ShortToolOutput.shape));
  const { structural_type, payload, ...rest } = checked.data;
  return toResult({ ...rest, structural_type, type: structural_type, payload: storedPayload(payload, text, "payload") }, granted);
}

type Draft = Pick<Artefact, "structural_type" | "type" | "payload"> &
  Pick<FullToolOutput, "metadata" | "about"> & { summary?: string | undefined };

function toResult({ summary, metadata = {}, about, ...draft }: Draft, granted: Granted): ReadToolOutput {
  if (!draft.payload.isWellFormed())
    return refuse("The payload in the tool's output holds half a surrogate pair, which is no text.");
  const payloadBytes = new TextEncoder().encode(draft.payload).byteLength;
  if (payloadBytes > maxPayloadBytes) {
    return refuse(`The payload in the tool's output has ${payloadBytes} bytes; ${maxPayloadBytes} (16 MiB) are allowed.`);
  }
  const metadataBytes = new TextEncoder().encode(JSON.stringify({ summary, ...metadata })).byteLength;
  if (metadataBytes > maxMetadataBytes) {
    return refuse(
      `\`summary\` and \`metadata\` in the tool's output have ${metadataBytes} bytes; ${maxMetadataBytes} (1 MiB) are allowed.`,
    );
  }
  if (about !== undefined && draft.structural_type !== "Question") return refuse("Only a Question can be `about` an artefact.");
  const isBlank = draft.payload.trim() === "";
  if (isBlank && (draft.structural_type === "Question" || draft.structural_type === "Answer"))
    return refuse(`The tool's ${draft.structural_type} is empty.`);
  // Whatever else an agent makes of a question that it does not understand must not pass for an answer.
  const isReply =
    draft.structural_type === "Answer" || draft.structural_type === "Question" || draft.structural_type === "Failure";
  if (granted.kind === "clarification" && !isReply)
    return refuse(
      `The tool was asked a question (its target), and answered with a ${draft.structural_type}: print an Answer, or a Question.`,
    );
  if (draft.structural_type === "Answer" && granted.kind !== "clarification")
    return refuse("The tool answered with an Answer, but was not asked a question: its target is none.");
  // Taken as a result either would end the feedback loop without the reviewers: nobody bids on it.
  if (granted.kind === "rework" && draft.structural_type === "Review")
    return refuse(
      `The tool was to make a new version of its ${granted.target}, and answered with a Review: print a Standard artefact.`,
    );
  if (granted.kind === "rework" && draft.structural_type === "Terminal")
    return refuse(
      `The tool was to make a new version of its ${granted.target}, and answered with a Terminal: what is reworked is reviewed again, so print it as Standard.`,
    );
  if (draft.structural_type === "Review" && granted.phase !== "review") {
    const word = `\`${phaseTable[granted.phase].bid}\``;
    return refuse(
      `The tool answered with a Review, but its agent bid ${word} and not \`review\`: bid \`review\` on what it is to judge.`,
    );
  }
  if (granted.kind === "rework" && !isReply && draft.type !== granted.target)
    return refuse(
      `The tool was to make a new version of its ${granted.target}, and answered with the type ${draft.type}: a thread keeps its type.`,
    );
  const result: ToolResult = { ...draft, structural_type: structuralTypeIn(granted, draft.structural_type), metadata };
  if (summary !== undefined) result.summary = summary;
  if (about !== undefined) result.about = about;
  return { ok: true, result };
}

/** A review ends with a Review whatever the tool calls it, unless the tool asks or fails. */
function structuralTypeIn({ phase }: Granted, chosen: StructuralType): StructuralType {
  return phase !== "review" || chosen === "Question" || chosen === "Failure" ? chosen : "Review";
}

/** Other JSON is kept as the tool wrote it but for its white space, so that no digit of a number is lost. */
function storedPayload(payload: unknown, text: string, key: "artefact_payload" | "payload"): string {
  if (typeof payload === "string") return payload;
  return compactJson(memberText(text, key) ?? "null");
}

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string; keys?: string[] };

function mismatch(issues: readonly Issue[], knownKeys: string[]): ReadToolOutput {
  const problems = issues.map(({ code, path, message, keys = [] }) => {
    if (code === "unrecognized_keys" && path.length === 0) {
      return `unknown ${keys.length === 1 ? "key" : "keys"} ${keys.map((key) => JSON.stringify(key)).join(", ")} (known are ${knownKeys.join(", ")})`;
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

/** What the schema library says, in our words where it speaks of types. */
function sentenceOf(message: string): string {
  const [, expected = "", received] = /^Invalid input: expected (\w+)(?:, received (\w+))?$/.exec(message) ?? [];
  if (kinds[expected] === undefined) return message.replace(/^Invalid/, "invalid");
  return `must be ${kinds[expected]}${received === undefined ? "" : `, not ${kinds[received] ?? received}`}`;
}

function refuse(reason: string): ReadToolOutput {
  return { ok: false, reason };
}
