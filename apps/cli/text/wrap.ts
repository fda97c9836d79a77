// Lines broken between words, where the terminal would break them inside one.
import { padVisible, visibleWidth } from "./plain-text.ts";

type Wrapping = {
  /** Undefined where lines may have any length. */
  columns: number | undefined;
  /** How far what follows a break stands in; as far as the line itself if not given. */
  indent?: number;
  /**
   * Filled up with spaces instead of ended: to the terminal it stays one line, and so it does for whoever copies it. For what is to be
   * typed.
   */
  isOneLine?: boolean;
};

/** Each line of the text by itself; colours go on over a break. A word that is wider than the terminal is left to it. */
export function wrap(text: string, wrapping: Wrapping): string {
  const { columns } = wrapping;
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => (visibleWidth(line) <= columns ? line : wrapLine(line, columns, wrapping)))
    .join("\n");
}

/** Spaces, perhaps after a colour has begun. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character.
const beginning = /^(?:\u001b\[[0-9;]*m)* */;

function wrapLine(line: string, columns: number, { indent, isOneLine = false }: Wrapping): string {
  const [lead = ""] = beginning.exec(line) ?? [];
  // Some room is left on the narrowest of terminals.
  const hang = " ".repeat(Math.min(indent ?? visibleWidth(lead), Math.floor(columns / 2)));
  // A space has to stand between two rows that are one line.
  const width = isOneLine ? columns - 1 : columns;
  const rows: string[] = [];
  let row = lead;
  let isBegun = false;
  for (const [, space = "", word = ""] of line.slice(lead.length).matchAll(/( *)([^ ]+)/g)) {
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

/** To the edge of the last row that it takes, with at least one space. */
function filled(row: string, columns: number): string {
  return padVisible(row, Math.ceil((visibleWidth(row) + 1) / columns) * columns);
}
