// The answer to a call of a tool, as agents get it and the record has it.
import { isObject } from "../../../lib/model/json.ts";
import { markOutside, shorten } from "./outside-text.ts";

export type ToolAnswer = {
  content: ToolContent[];
  isError?: boolean;
  /** A member of the protocol's own, for clients that know it: the work has to end now. */
  _meta?: { "sett/waits": true };
};
type ToolContent =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string };

const maxParts = 200;

/** The server's answer, in the parts that agents can read; all texts together are bounded. */
export function answerOf(raw: Readonly<Record<string, unknown>>, maxLength: number): ToolAnswer {
  const parts = Array.isArray(raw.content) ? raw.content : [];
  let left = maxLength;
  const content: ToolContent[] = [];
  for (const part of parts.slice(0, maxParts)) {
    const shown = partOf(part, left);
    left -= shown.type === "text" ? shown.text.length : shown.data.length;
    content.push(shown);
    if (left <= 0) break;
  }
  const rest = parts.length - content.length;
  if (rest > 0) content.push(text(`[${rest} parts of the answer are left out here]`));
  if (content.length === 0) content.push(text(structured(raw.structuredContent, maxLength)));
  return { content, ...(raw.isError === true && { isError: true }) };
}

/** An answer of the gateway itself. `said`: the server's words, which are data. */
export function refusal(sentence: string, said?: { server: string; words: string }): ToolAnswer {
  const words =
    said === undefined ? "" : `\n${markOutside(said.server, shorten(said.words, 2_000))}`;
  return { content: [text(`${sentence}${words}`)], isError: true };
}

function text(value: string): ToolContent {
  return { type: "text", text: value };
}

function partOf(part: unknown, left: number): ToolContent {
  if (!isObject(part)) return text("[a part that is no object]");
  if (part.type === "text") return text(shorten(String(part.text ?? ""), Math.max(0, left)));
  const { data, mimeType } = part;
  if ((part.type === "image" || part.type === "audio") && typeof data === "string")
    return data.length <= left
      ? { type: part.type, data, mimeType: String(mimeType ?? "application/octet-stream") }
      : text(`[${part.type} of ${data.length} characters, which is too long, is left out]`);
  const resource = isObject(part.resource) ? part.resource : part;
  if (typeof resource.text === "string") return text(shorten(resource.text, Math.max(0, left)));
  const name = typeof resource.uri === "string" ? ` ${resource.uri.slice(0, 500)}` : "";
  return text(`[${String(part.type).slice(0, 40)}${name}]`);
}

function structured(value: unknown, maxLength: number): string {
  return value === undefined ? "" : shorten(JSON.stringify(value), maxLength);
}
