// A report as one file of HTML that loads nothing and runs nothing.
import type { Segment } from "../../words/segment.ts";
import { boundedLine, plainLines } from "../text/plain-text.ts";
import type { Block } from "./report-blocks.ts";

const maxColumns = 300;

const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.6rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.9rem 0.2rem 0; }
tr + tr td { border-top: 1px solid #8884; }
pre { padding: 0.6rem 0.9rem; border-left: 3px solid #8888; background: #8881; white-space: pre-wrap; }
pre, td, p, h1 { overflow-wrap: anywhere; }
`;

export function htmlOf(title: string, blocks: readonly Block[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${escaped(boundedLine(title, maxColumns))}</title>
<style>${style}</style>
</head>
<body>
${blocks.map(blockHtml).join("\n")}
</body>
</html>
`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `<h${block.level}>${lineOf(block.says)}</h${block.level}>`;
    case "text":
      return `<p>${lineOf(block.says)}</p>`;
    case "code":
    case "quote":
      return `<pre dir="auto">${escaped(plainLines(block.text).replace(/\n+$/, ""))}</pre>`;
    case "table":
      return `<table>\n${headOf(block.head)}${block.rows.map((row) => rowOf("td", row.map(lineOf))).join("")}</table>`;
  }
}

function headOf(head: readonly string[]): string {
  return head.every((name) => name === "") ? "" : rowOf("th", head.map(escaped));
}

function rowOf(cell: "td" | "th", cells: readonly string[]): string {
  return `<tr>${cells.map((text) => `<${cell}>${text}</${cell}>`).join("")}</tr>\n`;
}

/** What others have chosen turns no text around it. */
function lineOf(segments: readonly Segment[]): string {
  return segments
    .map(({ text, isForeign }) =>
      isForeign === true ? `<bdi>${escaped(boundedLine(text, maxColumns))}</bdi>` : escaped(text),
    )
    .join("");
}

function escaped(text: string): string {
  const names: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  return text.replaceAll(/[&<>"]/g, (character) => `&${names[character]};`);
}
