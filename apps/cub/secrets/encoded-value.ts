// A value of a secret in base64, base32 and hexadecimal: as it is, and after it was put into JSON,
// a URL or base64.
import { Buffer } from "node:buffer";
import { anyCase } from "./text-pattern.ts";

/**
 * `spellings`: the ways to write it, where nothing breaks it. `source`: of a regular expression
 * that knows all, also with breaks.
 */
export type Spelled = { spellings: string[]; source: () => string };

/** Programs break long lines, and indent them; JSON has the break as two characters. */
const lineBreak = "(?:(?:\\r?\\n|(?:\\\\{1,4}r)?\\\\{1,4}n)[ \\t]{0,40})?";
/** Between bytes, as fingerprints and dumps have them. */
const byteBreak = "(?:[ :]|\\\\x|(?:\\r?\\n|(?:\\\\{1,4}r)?\\\\{1,4}n)[ \\t]{0,40})?";

/** `pieces`: divides a value into those that are looked for. */
export function encodingsOf(
  value: Uint8Array,
  isText: boolean,
  pieces: (bytes: Uint8Array) => Uint8Array[],
): Spelled[] {
  const text = Buffer.from(value).toString("utf8");
  const inner = [
    value,
    ...(isText
      ? [JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())].map((each) =>
          Buffer.from(each),
        )
      : []),
    ...[0, 1, 2].map((before) => Buffer.from(symbolsOf(value, before, base64))),
  ];
  const different = inner.filter(
    (one, at) => inner.findIndex((other) => Buffer.from(one).equals(other)) === at,
  );
  return [
    ...different
      .flatMap(pieces)
      .flatMap((piece) => [0, 1, 2].map((before) => base64Of(piece, before))),
    ...pieces(value).flatMap((piece) => [
      hexOf(piece),
      ...[0, 1, 2, 3, 4].map((before) => base32Of(piece, before)),
    ]),
  ];
}

type Alphabet = { bits: number; symbols: string };

const base64: Alphabet = {
  bits: 6,
  symbols: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
};
const base32: Alphabet = { bits: 5, symbols: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" };

/**
 * As it is when `before` bytes of something else come first in its group. What depends on its
 * neighbours is left out.
 */
function symbolsOf(bytes: Uint8Array, before: number, { bits, symbols }: Alphabet): string {
  const own: string[] = [];
  let rest = 0;
  let count = (before * 8) % bits;
  let foreign = count;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    count += 8;
    while (count >= bits) {
      count -= bits;
      if (foreign === 0) own.push(symbols[(rest >> count) & ((1 << bits) - 1)] ?? "");
      foreign = 0;
      rest &= (1 << count) - 1;
    }
  }
  return own.join("");
}

function base64Of(piece: Uint8Array, before: number): Spelled {
  const symbols = symbolsOf(piece, before, base64);
  const either = (symbol: string) =>
    symbol === "+"
      ? "(?:[+-]|%(?:25)?2[Bb])"
      : symbol === "/"
        ? "(?:[/_]|\\\\/|%(?:25)?2[Ff])"
        : symbol;
  return { spellings: [symbols], source: () => [...symbols].map(either).join(lineBreak) };
}

function base32Of(piece: Uint8Array, before: number): Spelled {
  const symbols = symbolsOf(piece, before, base32);
  return { spellings: [symbols], source: () => [...symbols].join(lineBreak) };
}

function hexOf(piece: Uint8Array): Spelled {
  const symbols = Buffer.from(piece).toString("hex");
  return {
    spellings: [symbols, symbols.toUpperCase()],
    source: () => (symbols.match(/../g) ?? []).map(anyCase).join(byteBreak),
  };
}
