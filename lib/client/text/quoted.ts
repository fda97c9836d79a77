// Text of agents and people, quoted: a bar at the margin of every row tells it from what Sett
// itself says.
import { plainLines, visibleWidth } from "./plain-text.ts";
import type { Layout } from "./style.ts";
import { wrap } from "./wrap.ts";

export const bar = "│";

/** Narrower rows than these would be unreadable. */
const minColumns = 10;

/**
 * A row for each line of the text, and more where a line is wider than the terminal: no part of it
 * ever begins a row without the bar.
 */
export function quotedLines(text: string, { style, columns }: Layout, indent = "  "): string[] {
  const start = `${indent}${style.dim(bar)} `;
  const lines = plainLines(text).replace(/\n+$/, "").split("\n");
  if (columns === undefined) return lines.map((line) => `${start}${line}`.trimEnd());
  const room = Math.max(minColumns, columns - visibleWidth(start));
  return lines.flatMap((line) => rowsOf(line, room)).map((row) => `${start}${row}`.trimEnd());
}

/**
 * What Sett says, and the words of others behind it: in one row where that has room, else in rows
 * of their own. `indent`: what comes before their bars.
 */
export function saidWith(said: string, words: string, layout: Layout, indent: string): string[] {
  const { columns } = layout;
  if (columns === undefined || visibleWidth(`${said}${words}`) <= columns)
    return [`${said}${words}`];
  return [...wrap(said.trimEnd(), { columns }).split("\n"), ...quotedLines(words, layout, indent)];
}

/**
 * The width of a tab depends on its column, and a word may be wider than the terminal, which would
 * break it without a bar.
 */
function rowsOf(line: string, columns: number): string[] {
  const spaced = line.replaceAll("\t", "  ");
  return wrap(spaced, { columns })
    .split("\n")
    .flatMap((row) => pieces(row, columns));
}

/** In one pass: a line may have 16 MiB. */
function pieces(row: string, columns: number): string[] {
  if (visibleWidth(row) <= columns) return [row];
  const found: string[] = [];
  let from = 0;
  let to = 0;
  let width = 0;
  for (const character of row) {
    width += visibleWidth(character);
    if (width > columns) {
      found.push(row.slice(from, to));
      from = to;
      width = visibleWidth(character);
    }
    to += character.length;
  }
  return [...found, row.slice(from)];
}

/** Returns the same without rows, for those who read no terminal. */
export function quotedText(text: string): string {
  return plainLines(text)
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => `${bar} ${line}`.trimEnd())
    .join("\n");
}
