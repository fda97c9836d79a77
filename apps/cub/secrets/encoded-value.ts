// A value of a secret in base64 and in hexadecimal, also with line breaks in it.
import { Buffer } from "node:buffer";
import { anyCase } from "./text-pattern.ts";

/**
 * `spellings`: the ways to write it, where nothing breaks it. `source`: a regular expression that
 * knows all of them, also with breaks.
 */
export type Spelled = { spellings: string[]; source: () => string };

/** Programs break long lines, and indent them; JSON has the break as two characters. */
const lineBreak = "(?:(?:\\r?\\n|(?:\\\\r)?\\\\n)[ \\t]{0,40})?";
/** Fingerprints and dumps have these between bytes. */
const byteBreak = "(?:[ :]|\\\\x|\\r?\\n[ \\t]{0,40})?";

export function encodingsOf(piece: Uint8Array): Spelled[] {
  return [...[0, 1, 2].map((before) => base64Of(piece, before)), hexOf(piece)];
}

/**
 * Base64 as it is when `before` bytes of something else come first in its group. Symbols that
 * depend on the piece's neighbours are left out.
 */
function base64Of(piece: Uint8Array, before: number): Spelled {
  const whole = Buffer.concat([Buffer.alloc(before), piece]);
  const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
  const symbols = whole.toString("base64").slice(from, to);
  const either = (symbol: string) => (symbol === "+" ? "[+-]" : symbol === "/" ? "[/_]" : symbol);
  return { spellings: [symbols], source: () => [...symbols].map(either).join(lineBreak) };
}

function hexOf(piece: Uint8Array): Spelled {
  const symbols = Buffer.from(piece).toString("hex");
  const source = () => (symbols.match(/../g) ?? []).map(anyCase).join(byteBreak);
  return { spellings: [symbols, symbols.toUpperCase()], source };
}
