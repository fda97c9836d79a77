// Texts of programs as the bytes that Redis keeps, and back. A text of bytes has one character for
// each.
import { Buffer } from "node:buffer";

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range of ASCII.
const beyondAscii = /[^\x00-\x7f]/;

export function bytesOf(text: string | Buffer): string {
  if (typeof text !== "string") return text.toString("latin1");
  return beyondAscii.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** What is not UTF-8 is replaced, as a client does it. */
export function textOf(bytes: string): string {
  return beyondAscii.test(bytes) ? Buffer.from(bytes, "latin1").toString("utf8") : bytes;
}
