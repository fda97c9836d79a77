// One text for the name of a file, which is any bytes: git's own form, which tools print and take.
//
// A name that is UTF-8 on one line, all of which can be seen, is written as it is. Any other one is
// in double quotes, with the escapes of C; bytes that are no UTF-8, that cannot be seen, or that
// look like others are in octal digits: `"a\nb"`, `"caf\351"`.
// Names inside of this program are in latin1, one character for each byte.
import { unseen } from "../../core/unseen.ts";

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};
const characters = new Map(
  Object.entries(escapes).map(([character, written]) => [written.slice(1), character]),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what needs an escape.
const escapedBytes = /["\\\x00-\x1f\x7f-\xff]/g;

/** Blanks that look like a space, or like none; one of them is Braille without a dot. */
const otherBlank = /(?! )[\p{Zs}\u2800]/gu;
const unseenOrEscaped = new RegExp(`["\\\\\\n\\t]|${otherBlank.source}|${unseen.source}`, "gu");
/** A letter with its marks, or the parts of a Korean syllable: they may be written in two ways. */
const composed = /[\u1100-\u11ff]+|\P{M}?\p{M}+|\P{ASCII}/gu;

/** `name`: in latin1. No two names have the same text, and `readName` takes it back. */
export function showName(name: string): string {
  const text = textOf(name);
  if (text === undefined) return showBytes(name);
  const shown = text
    .replace(unseenOrEscaped, (one) => escapes[one] ?? octal(bytesOf(one)))
    .replace(composed, (one) => (one.normalize() === one ? one : beyondAscii(one)));
  // A space at an end is not seen in a list.
  return shown === text && text.trim() === text ? text : `"${shown}"`;
}

/** In double quotes, with all that is not ASCII in octal digits. `readName` takes it back. */
export function showBytes(name: string): string {
  return `"${name.replace(escapedBytes, (byte) => escapes[byte] ?? octal(byte))}"`;
}

/** The name in latin1 that a text of `showName`, or of git, means: git has more in octal digits. */
export function readName(text: string): string {
  const quoted = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*)"$/s.exec(text)?.[1];
  if (quoted === undefined) return bytesOf(text);
  return quoted.replace(/[^\\]+|\\([0-7]{3}|.)/gs, (plain, letters?: string) =>
    letters === undefined
      ? bytesOf(plain)
      : (characters.get(letters) ?? String.fromCharCode(Number.parseInt(letters, 8))),
  );
}

/** Whether the names in a listing of git, in latin1 with a NUL behind each, all look different. */
export function lookApart(listing: string): boolean {
  const text = textOf(listing.replaceAll("\0", "\n"));
  if (text === undefined || text.search(unseen) !== -1 || text.search(otherBlank) !== -1)
    return false;
  const names = new Set(text.split("\n"));
  return new Set([...names].map((name) => name.normalize())).size === names.size;
}

/** Undefined for what is no UTF-8. */
export function textOf(name: string): string | undefined {
  const bytes = Buffer.from(name, "latin1");
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

function beyondAscii(text: string): string {
  return text.replace(/\P{ASCII}/gu, (one) => octal(bytesOf(one)));
}

function octal(bytes: string): string {
  return [...bytes].map((byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
}

function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
