// Masks the values of secrets in JSON, and keeps its structure: a value that is an ordinary word, a
// number or a date is masked within strings alone, and never in a key, a number, or between the
// two.
import { Buffer } from "node:buffer";
import { jsonTokens, skipSpace } from "../../../lib/core/json-text.ts";
import type { Masker, Span } from "./masker.ts";

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
 * as does what a value has with its quotation marks. Of a value that cuts the structure, such as
 * `"}],"key":"`, what is in strings and numbers is masked, and the structure stays.
 */
export function maskedJson(json: string, masker: Masker, options: Options = {}): string {
  if (masker.find(Buffer.from(json, "utf8")) === undefined) return json;
  const masked = maskedTokens(json, masker, options);
  const places = masker.places(masked);
  if (places.length === 0) return masked;
  options.onMasked?.("", masker.words(masked));
  const areValues = places.every(({ from, to }) => isJson(masked.slice(from, to)));
  const whole = areValues ? masker.words(masked, (mask) => JSON.stringify(mask)) : "";
  return isJson(whole) ? whole : maskedAcross(masked, places);
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
  const names = new MaskedNames();
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
    const written = isKey ? names.in(levels.at(-1), masked) : masked;
    pieces.push(json.slice(from, start), JSON.stringify(written));
    from = end;
    onMasked?.(masker.words(pathOf(levels, key)), masked);
  }
  return [...pieces, json.slice(from)].join("");
}

/** Two keys of one object that look alike once they are masked: a reader would lose the first. */
class MaskedNames {
  readonly #known = new WeakMap<object, Map<string, number>>();

  in(object: object | undefined, name: string): string {
    if (object === undefined) return name;
    const known = this.#known.get(object) ?? new Map<string, number>();
    this.#known.set(object, known);
    const count = (known.get(name) ?? 0) + 1;
    known.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  }
}

/** `places`: in order. Each token that one of them touches loses that part of it. */
function maskedAcross(json: string, places: readonly Span[]): string {
  const pieces: string[] = [];
  const levels: object[] = [];
  const names = new MaskedNames();
  let from = 0;
  let next = 0;
  for (const { sign, start, end } of jsonTokens(json)) {
    if (sign === "{" || sign === "[") levels.push({});
    if (sign === "}" || sign === "]") levels.pop();
    while ((places[next]?.to ?? end) <= start) next++;
    if ("{}[],:".includes(sign)) continue;
    const touching: Span[] = [];
    for (let at = next; (places[at]?.from ?? end) < end; at++) touching.push(places[at] as Span);
    if (touching.length === 0) continue;
    const isString = sign === '"';
    const masked = isString
      ? maskedString(json, { from: start + 1, to: end - 1 }, touching)
      : maskOf(touching);
    if (masked === undefined) continue;
    const isKey = isString && json[skipSpace(json, end)] === ":";
    const written = isKey ? names.in(levels.at(-1), masked) : masked;
    pieces.push(json.slice(from, start), JSON.stringify(written));
    from = end;
  }
  return [...pieces, json.slice(from)].join("");
}

/** Undefined where the values have no part of it but its quotation marks. */
function maskedString(
  json: string,
  content: { from: number; to: number },
  touching: readonly Span[],
): string | undefined {
  const parts: string[] = [];
  let at = content.from;
  for (const span of touching) {
    const from = Math.max(span.from, at);
    const to = Math.min(span.to, content.to);
    if (from >= to) continue;
    // Half of an escape is none.
    const [before, after] = [escapeAround(json, at, from), escapeAround(json, at, to)];
    parts.push(JSON.parse(`"${json.slice(at, before.start)}"`), maskOf([span]));
    at = Math.min(after.end, content.to);
  }
  return parts.length === 0
    ? undefined
    : [...parts, JSON.parse(`"${json.slice(at, content.to)}"`)].join("");
}

/** The bounds of the escape that a place is within; the place itself where it is in none. */
function escapeAround(json: string, from: number, place: number): { start: number; end: number } {
  for (const { index, 0: sign } of json.slice(from, place + 6).matchAll(escapes)) {
    const start = from + index;
    if (start < place && place < start + sign.length) return { start, end: start + sign.length };
  }
  return { start: place, end: place };
}

const escapes = /\\(?:u[0-9a-fA-F]{4}|.)/g;

function maskOf(spans: readonly Span[]): string {
  return [...new Set(spans.map(({ name }) => `[secret ${name}]`))].join("");
}

function pathOf(levels: readonly Level[], key: string): string {
  const within = levels.at(-1);
  if (within === undefined) return key;
  if (within.isList) return `${within.path}[]`;
  return within.path === "" ? key : `${within.path}.${key}`;
}

/** The text of a JSON object or list; undefined for anything else. */
export function jsonIn(text: string): string | undefined {
  return /^\s*[[{]/.test(text) && isJson(text) ? text : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
