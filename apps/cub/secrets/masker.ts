// Finds the values of secrets in what a command has written, as they are and in the encodings in
// which programs print them by accident (text-pattern.ts, encoded-value.ts). An encoding within
// another one is not found: a command that means to hide a value can always do so.
import { Buffer } from "node:buffer";
import { commonValue } from "../../../lib/model/common-value.ts";
import { Anchors } from "./anchors.ts";
import { encodingsOf, type Spelled } from "./encoded-value.ts";
import { plainPattern, spellingsOf, textPattern } from "./text-pattern.ts";
import { wordsOf } from "./words-of-value.ts";

/** A longer value is looked for in pieces, which overlap, so that a part of it is found as well. */
const pieceCharacters = 48;
const overlap = 8;

/** From the first character to before the last one. */
export type Span = { from: number; to: number; name: string };

export type Masker = {
  /** Returns the text with `[secret NAME]` in place of each value. */
  text(text: string): string;
  /**
   * Does as `text`, without the values that everyone writes by accident: for keys, types, and what
   * a program goes by. `written`: how the text has a mask; as it is where it is missing.
   */
  words(text: string, written?: (mask: string) => string): string;
  /** Where `words` finds values, by characters. */
  places(text: string): Span[];
  bytes(bytes: Uint8Array): Uint8Array;
  /** The name of a secret whose value is in these bytes. */
  find(bytes: Uint8Array): string | undefined;
};

type Pattern = { name: string; pattern: () => RegExp };
type Values = readonly (readonly [name: string, value: Uint8Array])[];

/** `values`: name and value; a name may have several values. */
export function maskerOf(values: Iterable<readonly [name: string, value: Uint8Array]>): Masker {
  const all = [...values];
  const rare = all.filter(
    ([, value]) => commonValue(Buffer.from(value).toString("utf8")) === undefined,
  );
  const search = new Search(all);
  const rareSearch = rare.length === all.length ? search : new Search(rare);
  return {
    text: (text) => maskedText(search, text),
    words: (text, written) => maskedText(rareSearch, text, written),
    places: (text) => placesIn(rareSearch, text),
    bytes: (bytes) => maskedBytes(search, bytes) ?? bytes,
    find: (bytes) => {
      const text = latin1(bytes);
      return search.patternsIn(bytes).find(({ pattern }) => text.search(pattern()) >= 0)?.name;
    },
  };
}

function maskedText(search: Search, text: string, written = asItIs): string {
  if (search.isEmpty || text === "") return text;
  return maskedBytes(search, Buffer.from(text, "utf8"), written)?.toString("utf8") ?? text;
}

function placesIn(search: Search, text: string): Span[] {
  if (search.isEmpty) return [];
  const bytes = Buffer.from(text, "utf8");
  let [read, characters] = [0, 0];
  const placeOf = (byte: number) => {
    characters += bytes.toString("utf8", read, byte).length;
    read = byte;
    return characters;
  };
  return spansIn(latin1(bytes), search.patternsIn(bytes)).map(({ from, to, name }) => ({
    from: placeOf(from),
    to: placeOf(to),
    name,
  }));
}

function asItIs(mask: string): string {
  return mask;
}

/** Undefined where nothing is masked. */
function maskedBytes(search: Search, bytes: Uint8Array, written = asItIs): Buffer | undefined {
  if (search.isEmpty || bytes.length === 0) return undefined;
  const patterns = search.patternsIn(bytes);
  if (patterns.length === 0) return undefined;
  const text = latin1(bytes);
  const spans = spansIn(text, patterns);
  return spans.length === 0 ? undefined : Buffer.from(replaced(text, spans, written), "latin1");
}

/** A search looks for a few patterns in everything, and for the others where their anchor is. */
class Search {
  readonly #always: Pattern[] = [];
  readonly #anchors = new Anchors<Pattern>();

  readonly isEmpty: boolean;

  constructor(values: Values) {
    this.isEmpty = values.length === 0;
    for (const [name, value] of values)
      for (const { spellings, source } of [...textsIn(value), ...encodedIn(value)]) {
        const pattern = { name, pattern: once(source) };
        if (!spellings.map((each) => this.#anchors.add(each, pattern)).every(Boolean))
          this.#always.push(pattern);
      }
  }

  patternsIn(bytes: Uint8Array): Pattern[] {
    return [...this.#always, ...this.#anchors.in(bytes)];
  }
}

/** Most are never needed, and making one takes time. */
function once(source: () => string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source(), "g");
    return made;
  };
}

/** Each byte becomes one character, so that what is no text stays as it is. */
function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

function spansIn(text: string, patterns: readonly Pattern[]): Span[] {
  const spans: Span[] = [];
  for (const { name, pattern } of patterns) spans.push(...matchesOf(pattern(), text, name));
  spans.sort((one, other) => one.from - other.from);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.from > last.to) merged.push({ ...span });
    else last.to = Math.max(last.to, span.to);
  }
  return merged;
}

/**
 * A value may begin again before it ends, as in `abXabXab`: what is left of the second would be
 * shown.
 */
function matchesOf(pattern: RegExp, text: string, name: string): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    spans.push({ from: found.index, to: found.index + found[0].length, name });
    pattern.lastIndex = found.index + 1;
  }
  return spans;
}

function replaced(text: string, spans: readonly Span[], written: (mask: string) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to, name } of spans) {
    parts.push(text.slice(end, from), written(`[secret ${name}]`));
    end = to;
  }
  return [...parts, text.slice(end)].join("");
}

function textsIn(value: Uint8Array): Spelled[] {
  if (!isText(value))
    return blocksOf(trimmed(value)).map((block) => ({
      spellings: [latin1(block)],
      source: () => plainPattern(block),
    }));
  const words = new Set(wordsOf(Buffer.from(value).toString("utf8").trim()));
  return [...words]
    .flatMap((word) => piecesOf([...word]))
    .map((piece) => ({ spellings: spellingsOf(piece), source: () => textPattern(piece) }));
}

function encodedIn(value: Uint8Array): Spelled[] {
  return blocksOf(trimmed(value)).flatMap(encodingsOf);
}

function isText(value: Uint8Array): boolean {
  return Buffer.from(Buffer.from(value).toString("utf8"), "utf8").equals(value);
}

/** Returns the value without the newline at its end. */
function trimmed(value: Uint8Array): Uint8Array {
  return Buffer.from(latin1(value).trimEnd(), "latin1");
}

function blocksOf(bytes: Uint8Array): Uint8Array[] {
  return piecesOf([...bytes]).map((block) => Uint8Array.from(block));
}

function piecesOf<Each>(characters: readonly Each[]): Each[][] {
  const { length } = characters;
  const pieceLength = pieceCharacters + overlap;
  if (length <= pieceLength) return [[...characters]];
  const count = Math.ceil((length - overlap) / pieceCharacters);
  // The last piece is as long as the others, or it would be found everywhere.
  const starts = Array.from({ length: count }, (_, index) =>
    Math.min(index * pieceCharacters, length - pieceLength),
  );
  return starts.map((from) => characters.slice(from, from + pieceLength));
}
