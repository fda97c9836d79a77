// Finds values in JSON text without parsing it, so that text can be stored and passed on as it was
// written: parsing would turn 12345678901234567890 into 12345678901234567000, 1.0 into 1, and put
// numeric keys first. All that is done with such text folds over its tokens.
//
// The scanner of jsonc-parser does the same, but builds the value of each string escape by escape:
// 32 MB of them, which an agent may send to the gateway, took it 8 s and 1 GB.

/** `sign`: its first character, which tells what it is. `isCut`: a string without its end. */
type JsonToken = { sign: string; start: number; end: number; isCut: boolean };

/** The tokens of JSON from a place on, without what is between them. Text may be no JSON. */
export function* jsonTokens(text: string, from = 0): Iterable<JsonToken> {
  let end = from;
  for (let start = from; ; start = end) {
    start = skipSpace(text, start);
    const sign = text[start];
    if (sign === undefined) return;
    const closing = sign === '"' ? endOfString(text, start) : undefined;
    end = closing ?? (marks.includes(sign) ? start + 1 : endOfScalar(text, start));
    const isCut = end === -1;
    if (isCut) end = text.length;
    yield { sign, start, end, isCut };
  }
}

const marks = "{}[],:";

/** `name`: as JSON. `start` and `end`: the place of its value in the text. */
export type JsonMember = { name: string; start: number; end: number };

/**
 * `members`: of the outermost object, duplicates included. `values`: of all objects and lists.
 * `names`: of the members of all objects, duplicates included. `depth`: of objects and lists in
 * each other.
 */
export type JsonScan = { members: JsonMember[]; values: number; names: number; depth: number };

/** One pass over JSON: what it costs to parse is known before. It ends at so many values. */
export function scanJson(text: string, maxValues = Number.POSITIVE_INFINITY): JsonScan {
  const scan: JsonScan = { members: [], values: 0, names: 0, depth: 0 };
  let depth = 0;
  let last: JsonToken | undefined;
  /** The name of the member whose value is read. */
  let name: JsonToken | undefined;
  let start = 0;
  const endMember = (end: number) => {
    if (name === undefined) return;
    scan.members.push({ name: text.slice(name.start, name.end), start, end });
    name = undefined;
  };
  for (const token of jsonTokens(text)) {
    const { sign } = token;
    if (last?.sign === ":" && depth === 1) start = token.start;
    if (sign === ":") {
      scan.names++;
      if (depth === 1) name = last;
    } else if (sign === ",") {
      scan.values++;
      if (depth === 1) endMember(last?.end ?? token.start);
    } else if (sign === "{" || sign === "[") {
      // The first value behind it has no comma.
      scan.values++;
      depth++;
      scan.depth = Math.max(scan.depth, depth);
    } else if (sign === "}" || sign === "]") {
      depth--;
      if (depth === 0) endMember(last?.end ?? token.start);
    }
    if (scan.values > maxValues) break;
    last = token;
  }
  return scan;
}

/**
 * The value of a text that is a string, or one object of at most so many members without others in
 * them. Undefined for any other: an agent chooses it, and 16 MiB of brackets take seconds to parse.
 */
export function parseFlat(text: string, members: number): unknown {
  if (boundProblem(text, { values: members, names: members, depth: 1 }) !== undefined)
    return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `values`: commas and opening brackets. `depth`: of objects and lists in each other. */
export type JsonBounds = { values?: number; names?: number; depth?: number };

/**
 * Says which of these bounds the text exceeds, to follow its name in a sentence; undefined where
 * parsing it costs no more. It looks at each character once, whatever the text is: a parser would
 * need a minute and gigabytes for 60 MB of brackets or of names.
 */
export function boundProblem(
  text: string,
  {
    values = Number.POSITIVE_INFINITY,
    names = Number.POSITIVE_INFINITY,
    depth = Number.POSITIVE_INFINITY,
  }: JsonBounds,
): string | undefined {
  if (text.length <= Math.min(values, names, depth)) return undefined;
  let [valuesLeft, namesLeft, depthLeft] = [values, names, depth];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === 0x22) {
      const end = endOfString(text, at);
      if (end === -1) return undefined;
      at = end - 1;
    } else if (sign === 0x2c) valuesLeft--;
    else if (sign === 0x3a) namesLeft--;
    else if (sign === 0x5b || sign === 0x7b) {
      valuesLeft--;
      depthLeft--;
    } else if (sign === 0x5d || sign === 0x7d) depthLeft++;
    else continue;
    if (valuesLeft < 0) return `has more than ${values} values`;
    if (namesLeft < 0) return `has more than ${names} names of members`;
    if (depthLeft < 0) return `is nested more than ${depth} levels deep`;
  }
  return undefined;
}

/**
 * The text of a member's value in a valid JSON object; of the last one where the key is there
 * twice, as `JSON.parse` reads it.
 */
export function memberText(object: string, key: string): string | undefined {
  const found = scanJson(object).members.findLast(({ name }) => JSON.parse(name) === key);
  return found && object.slice(found.start, found.end);
}

/** Valid JSON without the white space between its tokens. */
export function compactJson(json: string): string {
  const pieces: string[] = [];
  let [from, to] = [0, 0];
  for (const { start, end } of jsonTokens(json)) {
    if (start > to) {
      pieces.push(json.slice(from, to));
      from = start;
    }
    to = end;
  }
  return [...pieces, json.slice(from, to)].join("");
}

/**
 * The index just after the value that begins at or after `from`; -1 when the text ends before the
 * value does. Judges only brackets and quotes.
 */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (const { sign, end, isCut } of jsonTokens(text, from)) {
    if (isCut) return -1;
    if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    if (depth <= 0) return end;
  }
  return -1;
}

/** The index of the first character at or after `from` that is no white space of JSON's. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

function isSpace(sign: string | undefined): boolean {
  return sign === " " || sign === "\n" || sign === "\r" || sign === "\t";
}

/** The index just after the string whose quote is at `quote`; -1 where it has no end. */
function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === "\\" && before - 1 > quote) before--;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return -1;
}

function endOfScalar(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !isSpace(text[at]) && !`"'${marks}`.includes(text[at] ?? "")) at++;
  return at;
}
