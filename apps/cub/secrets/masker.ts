// Finds the values of secrets in what a command has written, as they are and in the encodings in which programs print them by accident:
// JSON, URLs, HTML, base64 and hexadecimal. A command that means to hide a value can always do so.
import { Buffer } from "node:buffer";

/** A longer value is looked for in pieces, which overlap, so that a part of it is found as well. */
const pieceCharacters = 48;
const overlap = 8;

/** Shorter words of a value with several lines are common words. */
const minWordLength = 16;

export type Masker = {
  /** With `[secret NAME]` in place of each value. */
  text(text: string): string;
  bytes(bytes: Uint8Array): Uint8Array;
  /** The name of a secret whose value is in these bytes. */
  find(bytes: Uint8Array): string | undefined;
};

type Pattern = { name: string; pattern: RegExp };
type Span = { from: number; to: number; name: string };

/** `values`: name and value; a name may have several values. */
export function maskerOf(values: Iterable<readonly [name: string, value: Uint8Array]>): Masker {
  const patterns = [...values].flatMap(([name, value]) => patternsOf(value).map((pattern) => ({ name, pattern })));
  const masked = (text: string) => replaced(text, spansIn(text, patterns));
  return {
    text: (text) =>
      patterns.length === 0 ? text : Buffer.from(masked(oneForOne(Buffer.from(text, "utf8"))), "latin1").toString("utf8"),
    bytes: (bytes) => {
      if (patterns.length === 0 || bytes.length === 0) return bytes;
      const text = oneForOne(bytes);
      const spans = spansIn(text, patterns);
      return spans.length === 0 ? bytes : Buffer.from(replaced(text, spans), "latin1");
    },
    find: (bytes) => {
      const text = oneForOne(bytes);
      return patterns.find(({ pattern }) => text.search(pattern) >= 0)?.name;
    },
  };
}

/** One character for each byte, so that what is no text stays as it is. */
function oneForOne({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

function spansIn(text: string, patterns: readonly Pattern[]): Span[] {
  const spans: Span[] = [];
  for (const { name, pattern } of patterns)
    for (const { index, 0: found } of text.matchAll(pattern)) spans.push({ from: index, to: index + found.length, name });
  spans.sort((one, other) => one.from - other.from);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.from > last.to) merged.push({ ...span });
    else last.to = Math.max(last.to, span.to);
  }
  return merged;
}

function replaced(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to, name } of spans) {
    parts.push(text.slice(end, from), `[secret ${name}]`);
    end = to;
  }
  return [...parts, text.slice(end)].join("");
}

function patternsOf(value: Uint8Array): RegExp[] {
  const whole = Buffer.from(value);
  const text = whole.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(whole);
  const bytes = whole.toString("latin1").trimEnd();
  const blocks = piecesOf([...bytes]).map((block) => block.join(""));
  return [
    ...new Set([
      ...(isText
        ? wordsOf(text.trim())
            .flatMap((word) => piecesOf([...word]))
            .map(textPattern)
        : blocks.map(plainPattern)),
      ...blocks.flatMap((block) => [0, 1, 2].map((before) => base64Pattern(block, before))),
      ...blocks.map(hexPattern),
    ]),
  ].map((source) => new RegExp(source, "g"));
}

/** Of a value with several lines its long words, so that one line of a key is found, and a line that all keys have is not. */
function wordsOf(value: string): string[] {
  if (!/[\r\n]/.test(value)) return [value];
  const words = value.split(/[\s"',]+/).filter((word) => word.length >= minWordLength && !/^-----|-----$|^https?:/.test(word));
  // Where nothing is left, as in a poem, the whole is looked for.
  return words.length > 0 ? words : [value];
}

function piecesOf(characters: readonly string[]): string[][] {
  const { length } = characters;
  const pieceLength = pieceCharacters + overlap;
  if (length <= pieceLength) return [[...characters]];
  const count = Math.ceil((length - overlap) / pieceCharacters);
  // The last piece is as long as the others, or it would be found everywhere.
  const starts = Array.from({ length: count }, (_, index) => Math.min(index * pieceCharacters, length - pieceLength));
  return starts.map((from) => characters.slice(from, from + pieceLength));
}

/** Each character as it is, or as JSON, a URL or HTML has it. */
function textPattern(characters: readonly string[]): string {
  return characters.map(characterPattern).join("");
}

/** Each byte as it is. */
function plainPattern(block: string): string {
  return [...Buffer.from(block, "latin1")].map((byte) => hexOf("\\x", byte)).join("");
}

const htmlNames: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
const jsonNames: Record<string, string> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };

function characterPattern(character: string): string {
  const bytes = Buffer.from(character, "utf8");
  const plain = [...bytes].map((byte) => hexOf("\\x", byte)).join("");
  const url = [...bytes].map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`).join("");
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, "0"));
  const json = units.map((unit) => `\\\\u${anyCase(unit)}`).join("");
  const all = [plain, url, json];
  if (character === " ") all.push("\\+");
  if (character === "\n") all.push("\\r\\n");
  const name = htmlNames[character];
  if (name !== undefined)
    all.push(`&${name};`, `&#(?:${character.charCodeAt(0)}|[xX]${anyCase(character.charCodeAt(0).toString(16))});`);
  const short = jsonNames[character] ?? (/["'\\/]/.test(character) ? hexOf("\\x", character.charCodeAt(0)) : undefined);
  if (short !== undefined) all.push(`\\\\${short}`);
  return `(?:${all.join("|")})`;
}

function hexOf(prefix: string, byte: number): string {
  return `${prefix}${byte.toString(16).padStart(2, "0")}`;
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Programs break long lines; JSON has the break as two characters. */
const lineBreak = "(?:\\r?\\n|\\\\n)?";

/** As it is when `before` bytes of something else come first in its group of three. What depends on its neighbours is left out. */
function base64Pattern(block: string, before: number): string {
  const encoded = Buffer.concat([new Uint8Array(before), Buffer.from(block, "latin1")]).toString("base64");
  const isWhole = (before + block.length) % 3 === 0;
  const own = encoded.replace(/=+$/, "").slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
  return [...own]
    .map((character) => (character === "+" ? "(?:[+-]|%2[Bb])" : character === "/" ? "(?:[/_]|\\\\/|%2[Ff])" : character))
    .join(lineBreak);
}

function hexPattern(block: string): string {
  return [...Buffer.from(block, "latin1").toString("hex")].map(anyCase).join(lineBreak);
}
