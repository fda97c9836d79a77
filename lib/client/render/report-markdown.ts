// A report in Markdown, to be pasted where others' words must not act: no mention, link, picture or
// markup of theirs is one.
import type { Segment } from "../../words/segment.ts";
import { boundedLine, plainLines } from "../text/plain-text.ts";
import type { Block } from "./report-blocks.ts";

const maxColumns = 300;

export function markdownOf(blocks: readonly Block[]): string {
  return `${blocks.map(blockText).join("\n\n")}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(block.level)} ${lineOf(block.says)}`;
    case "text":
      return lineOf(block.says);
    case "code":
    case "quote":
      return fenced(block.text);
    case "table":
      return [
        rowOf(block.head),
        rowOf(block.head.map(() => "---")),
        ...block.rows.map((row) => rowOf(row.map(lineOf))),
      ].join("\n");
  }
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** What others have chosen is code: nothing in it is markup, a mention or a link. */
function lineOf(segments: readonly Segment[]): string {
  return segments
    .map(({ text, isForeign }) => (isForeign === true ? codeOf(text) : text.replaceAll("|", "\\|")))
    .join("");
}

/** A bar would end the cell of a table, and a backslash before one does not help in all readers. */
function codeOf(text: string): string {
  const line = boundedLine(text, maxColumns).replaceAll("|", "¦");
  if (line === "") return "";
  const fence = fenceFor(line, 1);
  const pad = fence.length > 1 || line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

function fenced(text: string): string {
  const plain = plainLines(text).replace(/\n+$/, "");
  const fence = fenceFor(plain, 3);
  return `${fence}text\n${plain}\n${fence}`;
}

/** More backticks than any run in the text has, so that nothing in it ends the fence. */
function fenceFor(text: string, least: number): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  return "`".repeat(Math.max(least, Math.max(0, ...runs) + 1));
}
