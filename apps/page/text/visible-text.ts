// Text from agents, made safe to read: what a reader could not see, or what would move other text about, is shown by its name. Pure.

/** `mark`: a character that is shown by its name. */
export type Segment = { text: string; mark?: string };

/**
 * Controls but for line breaks and tabs, what has no width, and the marks that change the direction of text. With them a text could look
 * like another one. The last range is of tags, which hide whole sentences.
 */
const hidden = new RegExp(
  [
    "(?![\\n\\t])[\\p{Cc}\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]",
    "\\u034f|\\u17b4|\\u17b5",
    "[\\u{e0000}-\\u{e007f}]",
  ].join("|"),
  "gu",
);

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

/** Joiners inside of an emoji, and between letters of scripts that need them, are no trick. */
const joined = /(?<=\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/u;

export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (character === "\u200d" && joined.test(text.slice(Math.max(0, index - 2), index + 3))) continue;
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
