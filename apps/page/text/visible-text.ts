// Text from agents, made safe to read: what a reader could not see, or what would move other text
// about, is shown by its name. Pure.
import { unseen } from "../../../lib/core/unseen.ts";

/** `mark`: a character that is shown by its name. */
export type Segment = { text: string; mark?: string };

const names: Readonly<Record<number, string>> = {
  0: "NUL",
  8: "BS",
  13: "CR",
  27: "ESC",
  127: "DEL",
  173: "SHY",
  8203: "ZWSP",
  8204: "ZWNJ",
  8205: "ZWJ",
  8206: "LRM",
  8207: "RLM",
  8234: "LRE",
  8235: "RLE",
  8236: "PDF",
  8237: "LRO",
  8238: "RLO",
  8294: "LRI",
  8295: "RLI",
  8296: "FSI",
  8297: "PDI",
  65279: "BOM",
};

export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (character === "\r" && text[index + 1] === "\n") {
      if (index > from) segments.push({ text: text.slice(from, index) });
      from = index + 1;
      continue;
    }
    if (index > from) segments.push({ text: text.slice(from, index) });
    segments.push({ text: character, mark: nameOf(character) });
    from = index + character.length;
  }
  if (from < text.length) segments.push({ text: text.slice(from) });
  return segments;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return names[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** One line, with what cannot be seen as ‹RLO›. */
export function visibleLine(text: string, maxLength = 300): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return visibleCharacters(cut.replace(/\s+/g, " ").trim());
}

/** The text as it is, with what cannot be seen as ‹RLO›. */
export function visibleCharacters(text: string): string {
  return segmentsOf(text)
    .map(({ text: part, mark }) => (mark === undefined ? part : `‹${mark}›`))
    .join("");
}
