// A value of a secret as text: as it is, and as JSON, a URL, HTML, a shell, YAML or CSV writes it.
import { Buffer } from "node:buffer";

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
 * The texts that are in a row where a value is printed: its letters and digits as they are, or all
 * characters as a URL or JSON may have them, without percent signs and backslashes.
 */
export function spellingsOf(characters: readonly string[]): string[] {
  const text = characters.join("");
  const url = Buffer.from(text, "utf8").toString("hex");
  const json = characters
    .flatMap((character) => unitsOf(character).map((unit) => `u${unit}`))
    .join("");
  const upper = (spelling: string) => spelling.replace(/[a-f]/g, (digit) => digit.toUpperCase());
  return [...new Set([text, url, upper(url), json, upper(json)])];
}

/** The source of a regular expression that finds each byte as it is. */
export function plainPattern(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
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

/** Matches escaped backslashes like plain ones: to separate them would take very long. */
function backslashes(count: number): string {
  return `(?:\\\\|%5[cC]|\\\\u005[cC]|&#(?:92|[xX]5[cC]);){${count},${count * 2}}`;
}

function repeated(character: string, count: number): string {
  const one =
    count > maxRun ? plainPattern(Buffer.from(character, "utf8")) : characterPattern(character);
  return count === 1 ? one : `(?:${one}){${count}}`;
}

function characterPattern(character: string): string {
  const bytes = Buffer.from(character, "utf8");
  const url = [...bytes].map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`).join("");
  const json = unitsOf(character)
    .map((unit) => `\\\\u${anyCase(unit)}`)
    .join("");
  const all = [plainPattern(bytes), url, json];
  if (/[A-Za-z0-9]/.test(character) || bytes.length > 1) return `(?:${all.join("|")})`;
  if (character === " ") all.push("\\+");
  if (character === "\n") all.push("\\r\\n");
  const jsonName = jsonNames[character];
  if (jsonName !== undefined) all.push(`\\\\${jsonName}`);
  const code = character.charCodeAt(0);
  const html = [htmlNames[character], `#0{0,4}${code}`, `#[xX]0{0,4}${anyCase(code.toString(16))}`];
  all.push(`&(?:${html.filter((each) => each !== undefined).join("|")});`);
  // The first two are a shell's `'` in a quoted word, and the third is that of YAML.
  if (character === "'") all.push(`'\\\\''`, `'"'"'`, "''");
  if (character === '"') all.push('""');
  // A shell and JSON put a backslash before it. Of all ways the longest is tried first.
  return `\\\\?(?:${all.reverse().join("|")})`;
}

/** The UTF-16 units in hexadecimal, as JSON has them. */
function unitsOf(character: string): string[] {
  return Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, "0"),
  );
}

export function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
