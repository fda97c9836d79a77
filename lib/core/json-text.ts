// Finds values in JSON text without parsing it, so that the tool's text can be stored as it was
// written: parsing would turn 12345678901234567890 into 12345678901234567000, 1.0 into 1, and put
// numeric keys first.

/**
 * The index just after the value that begins at or after `from`; -1 when the text ends before the
 * value does. Judges only brackets and quotes.
 */
export function endOfValue(text: string, from: number): number {
  let at = skipSpace(text, from);
  let depth = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === "{" || char === "[") {
      depth++;
      at++;
    } else if (char === "}" || char === "]") {
      depth--;
      at++;
    } else if (depth > 0) at++;
    else at = endOfScalar(text, at);
    if (at === -1 || depth <= 0) return at;
  }
  return -1;
}

/**
 * The text of a member's value in a valid JSON object; of the last one where the key is there
 * twice, as `JSON.parse` reads it.
 */
export function memberText(object: string, key: string): string | undefined {
  let found: string | undefined;
  let at = skipSpace(object, skipSpace(object, 0) + 1);
  while (object[at] === '"') {
    const keyEnd = endOfString(object, at);
    const isWanted = JSON.parse(object.slice(at, keyEnd)) === key;
    const valueStart = skipSpace(object, skipSpace(object, keyEnd) + 1);
    const valueEnd = endOfValue(object, valueStart);
    if (isWanted) found = object.slice(valueStart, valueEnd);
    const afterValue = skipSpace(object, valueEnd);
    at = object[afterValue] === "," ? skipSpace(object, afterValue + 1) : afterValue;
  }
  return found;
}

/** Valid JSON without the white space between its tokens. */
export function compactJson(json: string): string {
  const pieces: string[] = [];
  let at = skipSpace(json, 0);
  while (at < json.length) {
    const start = at;
    while (at < json.length && !isSpace(json[at]))
      at = json[at] === '"' ? endOfString(json, at) : at + 1;
    pieces.push(json.slice(start, at));
    at = skipSpace(json, at);
  }
  return pieces.join("");
}

/** The index of the first character at or after `from` that is no white space of JSON's. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

function isSpace(char: string | undefined): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t";
}

/** The index just after the string whose quote is at `quote`; -1 where it has no end. */
export function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

function endOfScalar(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !isSpace(text[at]) && !'",:[]{}'.includes(text[at] ?? "")) at++;
  return at;
}
