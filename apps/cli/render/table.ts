// Columns for people.
import { shorten } from "./plain-text.ts";
import type { Style } from "./style.ts";

/** `text` is measured, `paint` colours it afterwards. */
export type Cell = { text: string; paint?: (text: string) => string };

/**
 * Lines without their line ends. Where there is a `width`, the last column is cut to it; everywhere else nothing is cut, so that
 * programs read it all.
 */
export function table(headings: readonly string[], rows: readonly Cell[][], style: Style, width: number | undefined): string[] {
  const head = headings.map((text): Cell => ({ text, paint: style.dim }));
  const widths = headings.map((_, column) => Math.max(...[head, ...rows].map((row) => lengthOf(row[column]?.text ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const rest = width === undefined ? Number.POSITIVE_INFINITY : Math.max(8, width - before);
  return [head, ...rows].map((row) =>
    row
      .map(({ text, paint = same }, column) => {
        const isLast = column === headings.length - 1;
        return isLast ? paint(shorten(text, rest)) : paint(text) + " ".repeat((widths[column] ?? 0) - lengthOf(text));
      })
      .join("  ")
      .trimEnd(),
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}

function same(text: string): string {
  return text;
}
