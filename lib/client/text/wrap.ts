// Wraps lines between words; a terminal would break them inside a word.
import { padVisible, visibleWidth } from "./plain-text.ts";

type Wrapping = {
  /** Undefined where lines may have any length. */
  columns: number | undefined;
  /** The indent of continuation rows (default: that of the line). */
  indent?: number;
  /**
   * Pads rows with spaces instead of breaking the line: a terminal then copies it as one line. For
   * commands.
   */
  isOneLine?: boolean;
};

/**
 * Wraps each line of the text by itself. Colours continue after a break. A word that is wider than
 * the terminal stays whole.
 */
export function wrap(text: string, wrapping: Wrapping): string {
  const { columns } = wrapping;
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => (visibleWidth(line) <= columns ? line : wrapLine(line, columns, wrapping)))
    .join("\n");
}

/** Leading spaces, perhaps after the code of a colour. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character.
const beginning = /^(?:\u001b\[[0-9;]*m)* */;

function wrapLine(line: string, columns: number, { indent, isOneLine = false }: Wrapping): string {
  const [lead = ""] = beginning.exec(line) ?? [];
  // Leaves some room on very narrow terminals.
  const hang = " ".repeat(Math.min(indent ?? visibleWidth(lead), Math.floor(columns / 2)));
  // Two rows of one line need a space between them.
  const width = isOneLine ? columns - 1 : columns;
  const rows: string[] = [];
  let row = lead;
  let isBegun = false;
  // Sticky: spaces at the end are looked at once.
  for (const [, space = "", word = ""] of line.slice(lead.length).matchAll(/( *)([^ ]+)/gy)) {
    if (isBegun && visibleWidth(`${row}${space}${word}`) > width) {
      rows.push(row);
      row = hang;
      isBegun = false;
    }
    row += isBegun ? `${space}${word}` : word;
    isBegun = true;
  }
  const all = [...rows, row];
  if (!isOneLine) return all.join("\n");
  return all.map((each, at) => (at === all.length - 1 ? each : filled(each, columns))).join("");
}

/** Padded to the right edge of its last row, with at least one space. */
function filled(row: string, columns: number): string {
  return padVisible(row, Math.ceil((visibleWidth(row) + 1) / columns) * columns);
}
