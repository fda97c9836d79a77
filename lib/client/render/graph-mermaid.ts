// The artefact graph as a Mermaid flowchart, which many Markdown viewers draw.
import type { ArtefactGraph, GraphEdge } from "../../core/artefact-graph.ts";
import { colours, type Look, labelOf, lookOf, textColour } from "./graph-node.ts";

const brackets: Readonly<Record<Look, readonly [string, string]>> = {
  goal: ["([", "])"],
  standard: ["[", "]"],
  approval: [">", "]"],
  feedback: [">", "]"],
  question: ["[/", "/]"],
  answer: ["[\\", "\\]"],
  failure: ["{{", "}}"],
  terminal: ["[[", "]]"],
  stub: ["(", ")"],
};

/** Ends with a line break. */
export function mermaidText({ goal, nodes, edges }: ArtefactGraph): string {
  // Generated names: for Mermaid, words like `end`, and some first letters, have a meaning.
  const names = new Map(nodes.map(({ id }, index) => [id, `a${index + 1}`]));
  const stubs = new Set(nodes.filter(({ kind }) => kind !== "artefact").map(({ id }) => id));
  const nodeLines = nodes.map((node) => {
    const look = lookOf(node, goal);
    const [open, close] = brackets[look];
    const { title, lines } = labelOf(node);
    const label = [`<b>${escaped(title)}</b>`, ...lines.map(escaped)].join("<br/>");
    return `  ${names.get(node.id)}${open}"${label}"${close}:::${look}`;
  });
  const edgeLines = edges.map(
    ({ from, to, kind }) =>
      `  ${names.get(from)} ${arrowOf(kind, stubs.has(from))} ${names.get(to)}`,
  );
  const classLines = Object.entries(colours).map(
    ([look, { fill, line }]) =>
      `  classDef ${look} fill:${fill},stroke:${line},color:${textColour}${look === "stub" ? ",stroke-dasharray:4 4" : ""}`,
  );
  return ["flowchart TB", ...nodeLines, ...edgeLines, ...classLines, ""].join("\n");
}

function arrowOf(kind: GraphEdge["kind"], isStub: boolean): string {
  if (kind === "evolutionary") return '== "next version" ==>';
  return isStub ? "-.->" : "-->";
}

/**
 * Between quotes Mermaid still interprets directives and entities, and in some versions Markdown,
 * most of which it shows as "Unsupported markdown". So every sign with a meaning is written as an
 * entity. Mermaid replaces entities before it looks for emphasis, formulas, icons, line breaks
 * (`\n`) and its own encoding of entities: for these, similar signs replace the real ones.
 */
function escaped(text: string): string {
  return text
    .replace(readAfterwards, (sign) => lookAlikes[sign] ?? sign)
    .replace(/[!-+\--/:-@[-^{-}]/g, (sign) => `#${sign.charCodeAt(0)};`);
}

const readAfterwards =
  /[*`~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\$(?=\$)|(?<=\$)\$|(?<=\bfa\w?):(?=fa-)|\\(?=[nN])|(?<=ﬂ)°|¶(?=ß)/gu;

/**
 * Each is as wide as the sign that it replaces: a person who copies the text must see the
 * difference.
 */
export const lookAlikes: Readonly<Record<string, string>> = {
  "*": "\u2217",
  _: "\u02cd",
  "`": "\u02cb",
  "~": "\u223c",
  $: "\uff04",
  ":": "\u2236",
  "\\": "\u29f5",
  "°": "\u00ba",
  "¶": "\u204b",
};
