// A table for people.
import { padVisible, shorten, visibleWidth } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";

/** `paint` colours the text after it was measured. */
export type Cell = { text: string; paint?: (text: string) => string };

const gap = 2;
/**
 * To make room for others, columns become no narrower than this; the last one has a minimum of its
 * own.
 */
const minColumnWidth = 12;
const minLastColumnWidth = 16;

/**
 * Lines without line breaks. With a `width`, the last column is cut, and the widest of the others
 * are wrapped between words. Without it nothing is cut or wrapped, so that a program reads every
 * row as one whole line.
 */
export function table(
  headings: readonly string[],
  rows: readonly Cell[][],
  style: Style,
  width: number | undefined,
): string[] {
  const head = headings.map((text): Cell => ({ text, paint: style.dim }));
  const natural = headings.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => visibleWidth(row[column]?.text ?? ""))),
  );
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
  while (
    taken() + Math.min(last, minLastColumnWidth) > width &&
    Math.max(...widths) > minColumnWidth
  )
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
