// Columns for people.
import { padVisible, shorten, visibleWidth } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";
import { wrap } from "../text/wrap.ts";

/** `text` is measured, `paint` colours it afterwards. */
export type Cell = { text: string; paint?: (text: string) => string };

const gap = 2;
/** No column but the last becomes narrower than this, nor the last than the second, to make room for others. */
const narrowest = 12;
const minOfLast = 16;

/**
 * Lines without their line ends. Where there is a `width`, the last column is cut to it, and of the others the widest are broken between
 * their words; everywhere else nothing is cut or broken, so that programs read it all, a line for each row.
 */
export function table(headings: readonly string[], rows: readonly Cell[][], style: Style, width: number | undefined): string[] {
  const head = headings.map((text): Cell => ({ text, paint: style.dim }));
  const natural = headings.map((_, column) => Math.max(...[head, ...rows].map((row) => visibleWidth(row[column]?.text ?? ""))));
  const widths = width === undefined ? natural : fitted(natural, width);
  return [head, ...rows].flatMap((row) => {
    const cells = headings.map((_, column) =>
      linesOf(row[column]?.text ?? "", widths[column] ?? 0, column === headings.length - 1),
    );
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      cells
        .map((lines, column) => {
          const { paint = same } = row[column] ?? {};
          const text = lines[at] ?? "";
          return `${text === "" ? "" : paint(text)}${padVisible("", (widths[column] ?? 0) - visibleWidth(text))}`;
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    );
  });
}

function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const last = widths.pop() ?? 0;
  const taken = () => widths.reduce((sum, each) => sum + each + gap, 0);
  while (taken() + Math.min(last, minOfLast) > width && Math.max(...widths) > narrowest)
    widths[widths.indexOf(Math.max(...widths))] = Math.max(...widths) - 1;
  return [...widths, Math.max(8, Math.min(last, width - taken()))];
}

function linesOf(text: string, width: number, isLast: boolean): string[] {
  if (isLast) return [shorten(text, width)];
  return wrap(text, { columns: width })
    .split("\n")
    .map((line) => shorten(line, width));
}

function same(text: string): string {
  return text;
}
