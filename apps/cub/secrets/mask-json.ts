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
 * Valid JSON, also where it has a value; but a secret that is itself JSON, and is there as an
 * object, becomes one mask.
 */
export function maskedJson(json: string, masker: Masker, options: Options = {}): string {
  if (masker.find(Buffer.from(json, "utf8")) === undefined) return json;
  const masked = maskedStrings(json, masker, options);
  const whole = masker.words(masked);
  if (whole !== masked) options.onMasked?.("", whole);
  return whole;
}

/** `key`: that of an object or a list, or of the list that it is in. */
type Level = { key: string; path: string; isList: boolean };

function maskedStrings(
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
    if (sign !== '"') continue;
    const text: string = JSON.parse(json.slice(start, end));
    const isKey = json[skipSpace(json, end)] === ":";
    if (isKey) key = text;
    const masked = isKey || isWord(key, text) ? masker.words(text) : masker.text(text);
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
