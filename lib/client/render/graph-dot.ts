// The artefact graph in DOT, the language of Graphviz.
import type { ArtefactGraph, GraphEdge, GraphNode } from "../../core/artefact-graph.ts";
import { colours, type Look, labelOf, lineColour, lookOf, textColour } from "./graph-node.ts";

/**
 * Graphviz draws these shapes close to several lines of text; diamonds and ellipses would need
 * three times the space.
 */
const shapeOf: Readonly<Record<Look, string>> = {
  goal: 'style="rounded,filled", penwidth=2',
  standard: "style=filled",
  approval: "shape=note",
  feedback: "shape=note",
  question: "shape=tab",
  answer: "shape=folder",
  failure: "shape=octagon, penwidth=2",
  terminal: "peripheries=2, penwidth=2",
  stub: 'style="rounded,filled,dashed"',
};

/**
 * Above so many nodes, Graphviz looks less long for short edges and draws them straight and without
 * words: 2 000 artefacts need a fifth of the time, and no person reads so many words.
 */
const largeNodes = 300;
const largeGraph = "  graph [nslimit=0.2, nslimit1=0.2, mclimit=0.1, splines=line]";

/**
 * Ends with a line break. A node's name is its whole id, which viewers of the SVG show under the
 * pointer.
 */
export function dotText(graph: ArtefactGraph): string {
  const stubs = new Set(graph.nodes.filter(({ kind }) => kind !== "artefact").map(({ id }) => id));
  const isLarge = graph.nodes.length > largeNodes;
  return [
    `digraph "goal ${graph.goal}" {`,
    ...(isLarge ? [largeGraph] : []),
    `  node [shape=box, style=filled, fontname="Helvetica,Arial,sans-serif", fontsize=11, fontcolor="${textColour}", margin="0.16,0.09"]`,
    `  edge [color="${lineColour}", fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="${textColour}"]`,
    ...graph.nodes.map((node) => nodeLine(node, lookOf(node, graph.goal))),
    ...graph.edges.map((edge) => edgeLine(edge, { isStub: stubs.has(edge.from), isLarge })),
    "}\n",
  ].join("\n");
}

function nodeLine(node: GraphNode, look: Look): string {
  const { fill, line } = colours[look];
  const { title, lines } = labelOf(node);
  const label = [`<B>${escaped(title)}</B>`, ...lines.flatMap(wrapped).map(escaped)].join("<BR/>");
  return `  "${node.id}" [label=<${label}>, ${shapeOf[look]}, fillcolor="${fill}", color="${line}"]`;
}

function edgeLine(
  { from, to, kind }: GraphEdge,
  { isStub, isLarge }: { isStub: boolean; isLarge: boolean },
): string {
  const look =
    kind === "evolutionary"
      ? ` [penwidth=3, color="#1d4ed8"${isLarge ? "" : ', label=" next version"'}]`
      : isStub
        ? " [style=dashed]"
        : "";
  return `  "${from}" -> "${to}"${look}`;
}

/** Graphviz does not wrap lines. This wraps between words, and inside a word that fills a line. */
function wrapped(text: string): string[] {
  return text.match(/\S.{0,35}(?=\s|$)|\S{36}/gu) ?? [];
}

/**
 * A label between angle brackets is a kind of XML. A backslash begins an escape of Graphviz, unless
 * a character without width follows it. Brackets are written as numbers, too: for a line with only
 * `]`, Graphviz prints an error or nothing.
 */
function escaped(text: string): string {
  return text
    .replace(/[&<>\]]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll("\\", "\\\u200b");
}
