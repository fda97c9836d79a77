// Masks the values of secrets in an answer that has been read: its contents only, so that a value
// which is an ordinary word breaks none.
import { Buffer } from "node:buffer";
import { codeCommitType, maxMetadataBytes, maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import type { ResultPiece, ToolResult } from "../../../lib/model/tool-contract.ts";
import { jsonIn, maskedJson } from "./mask-json.ts";
import type { Masker } from "./masker.ts";

/**
 * `masked`: a phrase for each place, such as "`token` in `payload`". `reason`: a sentence, where
 * the answer cannot be recorded.
 */
export type MaskedResult =
  | { ok: true; result: ToolResult; masked: string[] }
  | { ok: false; reason: string };

export function maskedResult(result: ToolResult, masker: Masker): MaskedResult {
  const masked: string[] = [];
  const note = (field: string) => (path: string, text: string) => {
    const place =
      path === "" ? field : path.startsWith("[]") ? `${field}${path}` : `${field}.${path}`;
    masked.push(`${namesIn(text)} in \`${place}\``);
  };
  const type = masker.words(result.type);
  if (type !== result.type)
    return {
      ok: false,
      reason: `The tool's \`artefact_type\` has the value of ${namesIn(type)} in it. ${another}`,
    };
  const payload = maskedPayload(result, masker, note("payload"));
  const metadata: unknown = JSON.parse(
    maskedJson(JSON.stringify(result.metadata), masker, { onMasked: note("metadata") }),
  );
  if (!isObject(metadata))
    return {
      ok: false,
      reason: `The tool's \`metadata\` is the value of a secret as a whole. ${another}`,
    };
  const summary = result.summary === undefined ? undefined : masker.text(result.summary);
  if (summary !== undefined && summary !== result.summary) note("summary")("", summary);
  if (
    bytesOf(payload) > maxPayloadBytes ||
    bytesOf(JSON.stringify({ summary, ...metadata })) > maxMetadataBytes
  )
    return {
      ok: false,
      reason: `The answer is larger than allowed after masking the values of secrets in it. ${another}`,
    };
  const pieces = maskedPieces(result.pieces ?? [], masker);
  if (typeof pieces === "string") return { ok: false, reason: pieces };
  return {
    ok: true,
    result: {
      ...{ ...result, payload, metadata, ...(summary !== undefined && { summary }) },
      ...(result.pieces && { pieces: pieces.map(({ piece }) => piece) }),
    },
    masked: [...masked, ...pieces.flatMap((one) => one.masked)],
  };
}

type MaskedPiece = { piece: ResultPiece; masked: string[] };

/** Each as a result by itself; a reason where one of them cannot be recorded. */
function maskedPieces(pieces: readonly ResultPiece[], masker: Masker): MaskedPiece[] | string {
  const all: MaskedPiece[] = [];
  for (const [place, { key, ...piece }] of pieces.entries()) {
    if (masker.words(key) !== key)
      return `The \`key\` of piece ${place + 1} has the value of a secret in it. ${another}`;
    const one = maskedResult({ ...piece, structural_type: "Standard" }, masker);
    if (!one.ok) return one.reason;
    const { type, payload, metadata, summary = "" } = one.result;
    const masked = one.masked.map((phrase) => `${phrase} of piece ${place + 1}`);
    all.push({ piece: { key, type, payload, metadata, summary }, masked });
  }
  return all;
}

const another =
  "Nothing of the answer is recorded: have the tool write another, or replace the secret's value.";

/** A reason quotes what the tool has printed. Sett's own words in it stay. */
export function maskedReason(reason: string, masker: Masker): string {
  return masker.words(reason.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => masker.text(quoted)));
}

/** The names that a masked text has, for people. */
export function namesIn(masked: string): string {
  const names = new Set(
    [...masked.matchAll(/\[secret ([^\]]+)\]/g)].map(([, name]) => `\`${name}\``),
  );
  return `the secret${names.size > 1 ? "s" : ""} ${[...names].join(", ")}`;
}

function maskedPayload(
  { payload, type }: ToolResult,
  masker: Masker,
  onMasked: (path: string, text: string) => void,
): string {
  const json = jsonIn(payload);
  if (json !== undefined) return maskedJson(json, masker, { onMasked });
  const masked = masker.text(payload);
  if (masked === payload) return payload;
  // A date or a number may be a part of a hash by chance.
  if (isHash(payload, type) && !/^\[secret [^\]]+\]$/.test(masked.trim())) return payload;
  onMasked("", masked);
  return masked;
}

/** An artefact of a commit may name it by its first digits. */
function isHash(payload: string, type: string): boolean {
  const text = payload.trim();
  return (
    CommitHash.safeParse(text).success ||
    (type === codeCommitType && /^[0-9a-f]{7,64}$/i.test(text))
  );
}

function isObject(value: unknown): value is ToolResult["metadata"] {
  return typeof value === "object" && value !== null;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
