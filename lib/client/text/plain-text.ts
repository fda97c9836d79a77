// Makes text from agents safe to print.
import { eastAsianWidth } from "get-east-asian-width";
import { escapes, withoutEscapes } from "../../core/terminal-text.ts";
import { unseen } from "../../core/unseen.ts";

/**
 * Control characters could move the cursor, colour the terminal or forge a line; what cannot be
 * seen could make a name look like another one, or hide a sentence. Line breaks become spaces.
 */
export function oneLine(text: string): string {
  return marked(withoutEscapes(text).replace(/\s+/g, " ")).trim();
}

/** Does the same for text of several lines, which keeps its line breaks and tabs. */
export function plainLines(text: string): string {
  return marked(withoutEscapes(text).replace(/\r\n/g, "\n"));
}

function marked(text: string): string {
  return text.replace(unseen, "�");
}

const maxLineLength = 100;
/** Only the beginning is read: a line may have 16 MiB. */
const maxInspected = 2_000;

/** The first line that is not blank, shortened; empty when there is none. */
export function firstLine(text: string): string {
  const [first = ""] = text.trimStart().slice(0, maxInspected).split("\n");
  return shorten(oneLine(first), maxLineLength);
}

/**
 * Text of agents and people on one line that is bounded before it is looked at: a summary may have
 * a megabyte. In quotation marks it cannot end the quotation.
 */
export function boundedLine(text: string, maxColumns: number): string {
  return shorten(oneLine(text.slice(0, 8 * maxColumns)).replaceAll(/[“”]/g, '"'), maxColumns);
}

/**
 * Returns a text that is at most `maxColumns` wide; it ends with `…` where something is left out.
 */
export function shorten(text: string, maxColumns: number): string {
  if (visibleWidth(text) <= maxColumns) return text;
  let left = maxColumns - 1;
  const kept: string[] = [];
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept.push(character);
  }
  return `${kept.join("")}…`;
}

/** How many columns a text takes, without its colours. */
export function visibleWidth(text: string): number {
  const bare = withoutEscapes(text);
  if (plainAscii.test(bare)) return bare.length;
  return [...bare].reduce((sum, character) => sum + widthOf(character), 0);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const plainAscii = /^[\u0000-\u007f]*$/;

/**
 * Counts as the widest of the usual terminals draws it: a row that is counted too narrow would
 * break, and its rest would begin at the margin, without the bar of a quotation.
 */
function widthOf(character: string): number {
  // It makes an emoji of the character before it, which many terminals then draw in two columns.
  if (character === "\ufe0f") return 1;
  if (withoutWidth.test(character)) return 0;
  if (wide.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

const withoutWidth = /^(?:\p{Mn}|\p{Me}|[\u200b-\u200d\u2060\ufeff])$/u;
/** Numbers in circles on black squares are wide for the C library, and ambiguous for Unicode. */
const wide = /^(?:\p{Emoji_Presentation}|[\u3248-\u324f])$/u;

/** The text, padded with spaces to this width. */
export function padVisible(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}

/** The first `maxColumns` columns of a text with colours; all its colour codes stay. */
export function cutVisible(text: string, maxColumns: number): string {
  let left = maxColumns;
  return text.replace(escapeOrCharacter, (token) => {
    if (token.startsWith("\u001b[")) return token;
    left -= widthOf(token);
    return left >= 0 ? token : "";
  });
}

const escapeOrCharacter = new RegExp(`${escapes.source}|[^]`, "gu");
