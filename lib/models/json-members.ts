// Finds the members of a JSON object in its text, so that one can be replaced and all else stays
// byte for byte.

/** `start` and `end`: the place of its value in the text. */
export type Member = { name: string; start: number; end: number };

const quote = 34;
const backslash = 92;

/**
 * The members of the outermost object, duplicates included. The text must be JSON, and an object.
 */
export function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let at = skipBlanks(text, text.indexOf("{") + 1);
  while (text[at] === '"') {
    const endOfName = endOfString(text, at);
    const name: unknown = JSON.parse(text.slice(at, endOfName));
    // Past the colon.
    const start = skipBlanks(text, skipBlanks(text, endOfName) + 1);
    const end = endOfValue(text, start);
    members.push({ name: String(name), start, end });
    // Past the comma, or past the closing brace.
    at = skipBlanks(text, skipBlanks(text, end) + 1);
  }
  return members;
}

/**
 * Puts other values in the place of those of some members. `values`: JSON texts by name; names that
 * the object lacks are added first.
 */
export function withMembers(
  text: string,
  members: readonly Member[],
  values: Readonly<Record<string, string>>,
): string {
  let result = "";
  let at = 0;
  for (const { name, start, end } of members) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    result += text.slice(at, start) + value;
    at = end;
  }
  result += text.slice(at);
  const names = new Set(members.map(({ name }) => name));
  const added = Object.entries(values).filter(([name]) => !names.has(name));
  if (added.length === 0) return result;
  const open = result.indexOf("{") + 1;
  const inserted = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return `${result.slice(0, open)}${inserted}${members.length === 0 ? "" : ","}${result.slice(open)}`;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return at;
}

/** `at` is the opening quote; the result is behind the closing one. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === quote) return end + 1;
    end += code === backslash ? 2 : 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth < 0) return at;
    at++;
    if (depth === 0 && (character === "}" || character === "]")) return at;
    if (depth === 0 && isEnd(text[at])) return at;
  } while (at < text.length && (depth > 0 || text[at - 1] !== '"'));
  return at;
}

function isEnd(character: string | undefined): boolean {
  return character === undefined || ",}] \n\r\t".includes(character);
}
