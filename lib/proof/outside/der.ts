// Reads DER, the one way in which time stamps and certificates are written. What is not exactly so
// is refused, so that no two readers see different things in it. Pure.
import type { Buffer } from "node:buffer";

/** `whole`: with its tag and length. */
export type Der = { tag: number; whole: Buffer; content: Buffer };

/** The bytes are not of the form that they have to be of. */
export class NotOfForm extends Error {}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a constructed member that is written `[number]`. */
export function tagged(number: number): number {
  return 0xa0 + number;
}

/** All of the bytes are one element. Throws `NotOfForm`. */
export function readDer(bytes: Buffer, tag?: number): Der {
  const [only, ...others] = elementsIn(bytes);
  if (only === undefined || others.length > 0) throw new NotOfForm("not one element");
  return tag === undefined ? only : ofTag(only, tag);
}

/** The elements in a constructed one. Throws `NotOfForm`. */
export function membersOf(der: Der | undefined, tag: number): Der[] {
  return elementsIn(ofTag(der, tag).content);
}

/** Throws `NotOfForm` where it is missing or another kind of element. */
export function ofTag(der: Der | undefined, tag: number): Der {
  if (der?.tag !== tag) throw new NotOfForm("another kind of element");
  return der;
}

/** An object identifier, as `1.2.840`. Throws `NotOfForm`. */
export function oidOf(der: Der | undefined): string {
  const { content } = ofTag(der, tags.oid);
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [first, ...rest] = numbers;
  if (first === undefined || (content.at(-1) ?? 0) >= 0x80) throw new NotOfForm("no identifier");
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join(".");
}

function elementsIn(bytes: Buffer): Der[] {
  const found: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const { length, from } = lengthAt(bytes, at + 1);
    const to = from + length;
    // A tag of several bytes is in nothing that is read here.
    if ((tag & 0x1f) === 0x1f || to > bytes.length) throw new NotOfForm("cut");
    found.push({ tag, whole: bytes.subarray(at, to), content: bytes.subarray(from, to) });
    at = to;
  }
  return found;
}

/** The length has to be written in the shortest way. `from`: where the content begins. */
function lengthAt(bytes: Buffer, at: number): { length: number; from: number } {
  const first = bytes[at];
  if (first === undefined) throw new NotOfForm("cut");
  if (first < 0x80) return { length: first, from: at + 1 };
  const count = first - 0x80;
  const digits = bytes.subarray(at + 1, at + 1 + count);
  if (count < 1 || count > 4 || digits.length < count) throw new NotOfForm("a length");
  const length = digits.readUIntBE(0, count);
  if (digits[0] === 0 || length < 0x80) throw new NotOfForm("a length");
  return { length, from: at + 1 + count };
}
