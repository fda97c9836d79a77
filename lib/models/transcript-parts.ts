// The parts of a conversation, the same for every API, and what its readers share.

import { isObject, type JsonObject, parseJson } from "../model/json.ts";
import { EventSplitter } from "./server-sent-events.ts";

/** `input`: JSON text. `other`: what is no text, named: an image, a document. */
export type Part =
  | { kind: "text" | "reasoning" | "other"; text: string }
  | { kind: "call"; id: string; name: string; input: string }
  | { kind: "result"; id: string; text: string; isError: boolean };

export type Turn = { role: "system" | "user" | "assistant" | "tool"; parts: Part[] };

export function textPart(text: string): Part[] {
  return text === "" ? [] : [{ kind: "text", text }];
}

/** Turns without parts are left out. */
export function withParts(turns: readonly Turn[]): Turn[] {
  return turns.filter(({ parts }) => parts.length > 0);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** JSON text as it is; anything else as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The JSON objects in the data of a stream's events; undefined for a text that is no stream. */
export function eventsOf(answer: string): JsonObject[] | undefined {
  if (
    !/^(?:event|data|id|retry|:)/m.test(answer.slice(0, 1_000)) ||
    answer.trimStart().startsWith("{")
  )
    return undefined;
  // A stream that broke off may lack its last blank line.
  const events = new EventSplitter().push(new TextEncoder().encode(`${answer}\n\n`));
  return events.map(({ data }) => parseJson(data)).filter(isObject);
}
