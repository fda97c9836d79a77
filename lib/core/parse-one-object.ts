// A tool's stdout, parsed as exactly one JSON object; or a sentence that says what it is instead.
import { isObject } from "../model/json.ts";
import { boundProblem, endOfValue, skipSpace } from "./json-text.ts";

export type OneObject =
  | { ok: true; text: string; value: Record<string, unknown> }
  | { ok: false; reason: string };

/**
 * No payload of 16 MiB needs more, and a cub that parses for long renews no lease. Brackets in each
 * other take the most memory.
 */
const bounds = { values: 5_000_000, depth: 200_000 };

const expectation = "exactly one JSON object is expected there";
const advice = "Log to stderr, and build the object with a JSON tool such as jq.";

/** Never throws. `text` is the object as the tool wrote it. */
export function parseOneObject(stdout: Uint8Array): OneObject {
  if (stdout.byteLength === 0) return refuse(`The tool wrote nothing to stdout; ${expectation}.`);
  const mark = byteOrderMark(stdout);
  if (mark !== undefined)
    return refuse(
      `The tool's stdout begins with a byte order mark (${mark}); plain UTF-8 without one is expected.`,
    );
  const text = decodeUtf8(stdout);
  if (text === undefined) return refuse(`The tool's stdout is not valid UTF-8; ${expectation}.`);
  const start = skipSpace(text, 0);
  if (start === text.length)
    return refuse(`The tool wrote nothing but white space to stdout; ${expectation}.`);

  const problem = boundProblem(text, bounds);
  if (problem !== undefined) return refuse(`The JSON on the tool's stdout ${problem}.`);
  const parsed = parse(text);
  if (!("value" in parsed)) return refuse(explainBrokenJson(text, start, parsed.problem));
  const { value } = parsed;
  if (!isObject(value))
    return refuse(`The tool's stdout is JSON, but it is ${nameOf(value)} and not an object.`);
  return { ok: true, text, value };
}

function explainBrokenJson(text: string, start: number, problem: string): string {
  const end = endOfValue(text, start);
  const looksLikeJson = text[start] === "{" || text[start] === "[";
  if (end === -1 && looksLikeJson)
    return `The JSON on the tool's stdout is incomplete: it ends with ${quoteEnd(text)}. ${advice}`;
  const hasFirstValue = end !== -1 && "value" in parse(text.slice(start, end));
  if (!hasFirstValue && looksLikeJson)
    return `The tool's stdout is not valid JSON (${problem}): it begins with ${quote(text, start)}. ${advice}`;
  if (!hasFirstValue)
    return `The tool's stdout is not JSON: it begins with ${quote(text, start)}. ${advice}`;

  const rest = skipSpace(text, end);
  const secondEnd = endOfValue(text, rest);
  const isSecondValue = secondEnd !== -1 && "value" in parse(text.slice(rest, secondEnd));
  if (isSecondValue)
    return `The tool wrote several JSON values to stdout (the second begins with ${quote(text, rest)}); ${expectation}.`;
  return `The tool wrote more than JSON to stdout: after the first value comes ${quote(text, rest)}. ${advice}`;
}

function refuse(reason: string): OneObject {
  return { ok: false, reason };
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return {
      problem:
        error instanceof Error ? error.message.replace(/^JSON Parse error: /, "") : String(error),
    };
  }
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "of UTF-8";
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return "of UTF-16";
  return undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return `a ${typeof value}`;
}

function quote(text: string, from: number): string {
  const excerpt = text.slice(from, from + 80);
  return JSON.stringify(from + 80 < text.length ? `${excerpt}…` : excerpt.trimEnd());
}

function quoteEnd(text: string): string {
  return JSON.stringify(text.length > 80 ? `…${text.slice(-80)}` : text);
}
