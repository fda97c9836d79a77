// Says in which line a text of the model differs first from what a file has there, so that white
// space and characters that look alike can be seen.
import { unseen } from "../../../../lib/core/unseen.ts";

const maxShown = 200;

/** `found`: lines of the file, the first of which is `line`. Both are text of several lines. */
export function differenceOf(found: { line: number; text: string }, wanted: string): string {
  const [there, given] = [found.text.split("\n"), withoutBlankEnds(wanted.split("\n"))];
  const at = given.findIndex((line, index) => line !== there[index]);
  if (at === -1) return "Only the blank lines around it differ.";
  const [has, gave] = [there[at], given[at] ?? ""];
  const where = `In line ${found.line + at} the file has ${quote(has)}, and you gave ${quote(gave)}`;
  if (has === undefined) return `${where}.`;
  const isBlank = has.replace(/\s/g, "") === gave.replace(/\s/g, "");
  return `${where}${isBlank ? ": only white space differs" : ""}.`;
}

function withoutBlankEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first === -1 ? lines : lines.slice(first, last + 1);
}

/** White space other than a space, and what cannot be seen, as escapes of JSON. */
function quote(line: string | undefined): string {
  if (line === undefined) return "no more line";
  const text = line.length > maxShown ? `${line.slice(0, maxShown).toWellFormed()}…` : line;
  const hidden = new RegExp(`(?! )\\p{Zs}|${unseen.source}`, "gu");
  return JSON.stringify(text).replace(hidden, (one) =>
    [...Array(one.length).keys()]
      .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
