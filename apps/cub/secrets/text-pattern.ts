// A value of a secret as text: as it is, and as JSON, URLs, HTML, shells, YAML and CSV write it,
// also one in another.
import { Buffer } from "node:buffer";

/**
 * Programs escape what was escaped: three layers of JSON have seven of these. Each may be written
 * as in a URL.
 */
const oneEscape = "(?:\\\\|%(?:25){0,2}5[cC])";
const escapes = `${oneEscape}{0,7}`;
const maxEscapes = 8;
/**
 * A longer run of one character is looked for as it is: what could be read in several ways would
 * take for ever.
 */
const maxRun = 8;

const htmlNames: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};
const jsonNames: Record<string, string> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };

/** The source of a regular expression over bytes, each as one character. */
export function textPattern(characters: readonly string[]): string {
  return runsOf(characters)
    .map(([character, count]) =>
      character === "\\" ? backslashes(count) : repeated(character, count),
    )
    .join("");
}

/**
 * What is in a row where a value is printed: its letters and digits as they are, or all as a URL or
 * JSON may have them.
 */
export function spellingsOf(characters: readonly string[]): string[] {
  const text = characters.join("");
  // Without the percent signs and backslashes.
  const url = Buffer.from(text, "utf8").toString("hex");
  const json = characters
    .map((character) =>
      unitsOf(character)
        .map((unit) => `u${unit}`)
        .join(""),
    )
    .join("");
  const upper = (spelling: string) => spelling.replace(/[a-f]/g, (digit) => digit.toUpperCase());
  return [...new Set([text, url, upper(url), json, upper(json)])];
}

/** Each byte as it is. */
export function plainPattern(bytes: Uint8Array): string {
  return [...bytes].map((byte) => hexOf("\\x", byte)).join("");
}

function runsOf(characters: readonly string[]): [character: string, count: number][] {
  const runs: [string, number][] = [];
  for (const character of characters) {
    const last = runs.at(-1);
    if (last?.[0] === character) last[1] += 1;
    else runs.push([character, 1]);
  }
  return runs;
}

/** However often each is escaped: to tell them apart would take very long, and is of no use. */
function backslashes(count: number): string {
  return `(?:${oneEscape}|\\\\{1,4}u005[cC]|&(?:amp;){0,2}#(?:92|[xX]5[cC]);){${count},${count * maxEscapes}}`;
}

function repeated(character: string, count: number): string {
  const one =
    count > maxRun ? plainPattern(Buffer.from(character, "utf8")) : characterPattern(character);
  return count === 1 ? one : `(?:${one}){${count}}`;
}

function characterPattern(character: string): string {
  const bytes = Buffer.from(character, "utf8");
  // `%(?:25)…`: a URL in a URL.
  const url = [...bytes]
    .map((byte) => `%(?:25){0,2}${anyCase(byte.toString(16).padStart(2, "0"))}`)
    .join("");
  const all = [
    plainPattern(bytes),
    url,
    unitsOf(character)
      .map((unit) => `\\\\{1,4}u${anyCase(unit)}`)
      .join(""),
  ];
  if (character === " ") all.push("\\+", "%(?:25)?2[bB]");
  if (character === "\n") all.push("\\r\\n");
  const name = jsonNames[character];
  if (name !== undefined) all.push(`${oneEscape}{1,7}${name}`);
  if (/[A-Za-z0-9]/.test(character) || bytes.length > 1) return `(?:${all.join("|")})`;
  const code = character.charCodeAt(0);
  const html = [
    htmlNames[character],
    `#0{0,4}${code}`,
    `#[xX]0{0,4}${anyCase(code.toString(16))}`,
  ].filter((each) => each !== undefined);
  all.push(`&(?:amp;){0,2}(?:${html.join("|")});`);
  // A shell's `'` in a quoted word, and that of YAML; a quotation mark of CSV.
  if (character === "'") all.push(`'${escapes}''`, `'${escapes}"'${escapes}"'`, "''");
  if (character === '"') all.push(`${escapes}"${escapes}"`);
  return `${escapes}(?:${all.reverse().join("|")})`;
}

/** In hexadecimal, as JSON has them. */
function unitsOf(character: string): string[] {
  return Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, "0"),
  );
}

function hexOf(prefix: string, byte: number): string {
  return `${prefix}${byte.toString(16).padStart(2, "0")}`;
}

export function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
