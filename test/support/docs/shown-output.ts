// Which lines of output does a page show, and which of them have its commands not printed?
import { blocksOf } from "./pages.ts";

/** Languages of blocks that show what a terminal prints. A line that begins with `$ ` is typed. */
const shownLanguages = new Set(["console", "text"]);

/**
 * Lists what differs from run to run, and how both sides write it instead. The order counts: the
 * longest form first.
 */
const variable: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?\b/g, "<instant>"],
  [/\b\d\d:\d\d:\d\d\b/g, "<time>"],
  [/\b\d+:\d\d\b/g, "<duration>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>"],
  [/\b[0-9a-f]{8}\b/g, "<id>"],
  [/\b(?:just now|now|\d+[smhd](?: ago)?)(?=\W|$)/g, "<age>"],
  [/"duration_ms":\d+/g, '"duration_ms":<number>'],
  [/\b\d+ bytes\b/g, "<number> bytes"],
  [/:\d{4,5}\b/g, ":<port>"],
  [/\s+/g, " "],
];

/** The line without what differs from run to run. */
export function comparable(line: string): string {
  return variable.reduce((text, [pattern, word]) => text.replace(pattern, word), line).trim();
}

/** A line of output that a page shows: its number in the page, counted from 1. */
export type ShownLine = { line: number; text: string };

/**
 * Blank lines and a line of `…` alone show nothing; a typed line goes on for as long as it ends
 * with a backslash. A block of "console elsewhere" shows what the page itself cannot bring about.
 */
export function shownLinesOf(page: string): ShownLine[] {
  return blocksOf(page)
    .filter(({ language, remark }) => shownLanguages.has(language) && remark !== "elsewhere")
    .flatMap(({ line: first, code }) => {
      let isTyped = false;
      return code.split("\n").flatMap((text, index) => {
        isTyped =
          text.startsWith("$ ") ||
          (isTyped && code.split("\n")[index - 1]?.endsWith("\\") === true);
        return isTyped || text.trim() === "" || text.trim() === "…"
          ? []
          : [{ line: first + index, text }];
      });
    });
}

/** The shown lines that no printed line is equal to. A `…` within a shown line matches anything. */
export function linesNotPrinted(shown: readonly ShownLine[], printed: string): ShownLine[] {
  const lines = printed.split("\n").map(comparable);
  const known = new Set(lines);
  return shown.filter(({ text }) => {
    const wanted = comparable(text);
    if (known.has(wanted)) return false;
    if (!wanted.includes("…")) return true;
    const parts = wanted.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`);
    return !lines.some((line) => pattern.test(line));
  });
}
