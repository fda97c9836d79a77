// JSON as Redis' cjson reads and writes it, of texts of bytes.
import { bytesOf, textOf } from "./bytes.ts";

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

export function encodeJson(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped.
  return `"${text.replaceAll(/["\\/\x00-\x1f\x7f]/g, (one) => escapes[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
}

export function decodeJson(text: string): unknown {
  if (!text.includes("\\u")) return JSON.parse(text);
  return JSON.parse(textOf(text), (_, value) =>
    typeof value === "string" ? bytesOf(value) : value,
  );
}
