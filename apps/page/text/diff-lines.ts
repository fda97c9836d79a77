// The lines of a changed file: how many of them are shown at first, and all of them as rows. Pure.
import { hasCarriageReturns } from "./file-notes.ts";
import { visibleCharacters } from "./visible-text.ts";

/** Drawn with colours in less time than a reader notices. */
const maxShownLines = 200;
const maxShownLength = 24_000;
const maxColumns = 2_000;
/** A longer line is shown as several rows. */
const maxRowColumns = 240;

/**
 * `text`: a diff of whole lines, in which what cannot be seen is written out, so that no line of
 * code looks like another.
 */
export type Beginning = { text: string; length: number; isAll: boolean; isCut: boolean };

export function beginningOf(lines: readonly string[]): Beginning {
  const clean = cleanerOf(lines);
  const shown: string[] = [];
  let [length, isCut] = [0, false];
  for (const line of lines) {
    const cut = line.length > maxColumns;
    const next = cut
      ? `${line.slice(0, maxColumns)}… (${line.length - maxColumns} more characters)`
      : line;
    if (
      shown.length > 1 &&
      (shown.length >= maxShownLines || length + next.length > maxShownLength)
    )
      break;
    length += next.length;
    isCut ||= cut;
    shown.push(clean(next));
  }
  return { text: shown.join("\n"), length, isAll: shown.length === lines.length, isCut };
}

/**
 * `sign`: `@` of the head of a hunk; `number`: of the line in the file after the change, of a
 * removed one in the file before it.
 */
export type DiffRow = { sign: string; number?: number; text: string };

export function rowsOf(lines: readonly string[]): DiffRow[] {
  const clean = cleanerOf(lines);
  const rows: DiffRow[] = [];
  let [before, after] = [0, 0];
  for (const line of lines) {
    const sign = line[0] ?? " ";
    if (sign === "@") {
      [before = 0, after = 0] = [...(/^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [])]
        .slice(1)
        .map(Number);
      rows.push({ sign, text: clean(line) });
      continue;
    }
    const number = sign === "-" ? before : after;
    if (sign === " " || sign === "-") before += 1;
    if (sign === " " || sign === "+") after += 1;
    const text = clean(line.slice(1));
    rows.push({ sign, ...(sign !== "\\" && { number }), text: text.slice(0, maxRowColumns) });
    for (let at = maxRowColumns; at < text.length; at += maxRowColumns)
      rows.push({ sign, text: text.slice(at, at + maxRowColumns) });
  }
  return rows;
}

/** That all lines end with a carriage return is said once. */
function cleanerOf(lines: readonly string[]): (line: string) => string {
  const hasReturns = hasCarriageReturns(lines);
  return (line) => visibleCharacters(hasReturns ? line.replace(/\r$/, "") : line);
}

export function changesOf(lines: readonly string[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const line of lines) {
    if (line.startsWith("+")) added += 1;
    else if (line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}
