// Masks the values of secrets in JSON, and keeps its structure: a value that is an ordinary word, a
// number or a date is masked within strings alone, and never in a key, a number, or between the
// two.
import { Buffer } from "node:buffer";
import { jsonTokens, skipSpace } from "../../../lib/core/json-text.ts";
import type { Masker } from "./masker.ts";

/**
 * `path`: the keys that lead to a string, `[]` for a list. `isWord`: whether a program goes by this
 * string.
 */
type Options = {
  onMasked?: (path: string, masked: string) => void;
  isWord?: (key: string, text: string) => boolean;
};

/**
 * Valid JSON, also where it has a value: a number, a list or an object with one becomes a string,
 * as does what a value has with its quotation marks. A value that cuts the structure, such as
 * `"}],"`, leaves text that is no JSON.
 */
export function maskedJson(json: string, masker: Masker, options: Options = {}): string {
  if (masker.find(Buffer.from(json, "utf8")) === undefined) return json;
  const masked = maskedTokens(json, masker, options);
  const whole = masker.words(masked);
  if (whole === masked) return masked;
  options.onMasked?.("", whole);
  return jsonIn(masker.words(masked, (mask) => JSON.stringify(mask))) ?? whole;
}

/** Characters: no secret has fewer, and most numbers do. */
const shortestValue = 8;

/** `key`: that of an object or a list, or of the list that it is in. */
type Level = { key: string; path: string; isList: boolean };

function maskedTokens(
  json: string,
  masker: Masker,
  { onMasked, isWord = () => false }: Options,
): string {
  const pieces: string[] = [];
  const levels: Level[] = [];
  let key = "";
  let from = 0;
  for (const { sign, start, end } of jsonTokens(json)) {
    if (sign === "{" || sign === "[") {
      levels.push({ key, path: pathOf(levels, key), isList: sign === "[" });
    } else if (sign === "}" || sign === "]") key = levels.pop()?.key ?? "";
    const isString = sign === '"';
    if (!isString && end - start < shortestValue) continue;
    const text: string = isString ? JSON.parse(json.slice(start, end)) : json.slice(start, end);
    const isKey = isString && json[skipSpace(json, end)] === ":";
    if (isKey) key = text;
    const isKept = !isString || isKey || isWord(key, text);
    const masked = isKept ? masker.words(text) : masker.text(text);
    if (masked === text) continue;
    pieces.push(json.slice(from, start), JSON.stringify(masked));
    from = end;
    onMasked?.(masker.words(pathOf(levels, key)), masked);
  }
  return [...pieces, json.slice(from)].join("");
}

function pathOf(levels: readonly Level[], key: string): string {
  const within = levels.at(-1);
  if (within === undefined) return key;
  if (within.isList) return `${within.path}[]`;
  return within.path === "" ? key : `${within.path}.${key}`;
}

/** The text of a JSON object or list; undefined for anything else. */
export function jsonIn(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
