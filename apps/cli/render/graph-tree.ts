// The artefact graph as a tree for people: each artefact is below its first source, and names its
// other sources.

import { detailsOf, type Look, lookOf } from "../../../lib/client/render/graph-node.ts";
import { visibleWidth } from "../../../lib/client/text/plain-text.ts";
import { quotedLines, saidWith } from "../../../lib/client/text/quoted.ts";
import type { Colour } from "../../../lib/client/text/style.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import type { ArtefactGraph, GraphNode } from "../../../lib/core/artefact-graph.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { Drawing } from "./phase-strip.ts";

const colours: Readonly<Record<Look, Colour>> = {
  goal: "bold",
  standard: "cyan",
  approval: "green",
  feedback: "yellow",
  question: "yellow",
  answer: "yellow",
  failure: "red",
  terminal: "green",
  stub: "dim",
};

/** The part of a line that is left for the text at any depth. */
const minTextColumns = 30;

type Tree = {
  graph: ArtefactGraph;
  nodes: ReadonlyMap<ArtefactId, GraphNode>;
  sources: ReadonlyMap<ArtefactId, ArtefactId[]>;
  parents: ReadonlyMap<ArtefactId, ArtefactId>;
  drawing: Drawing;
  columns: number | undefined;
};

/** Ends with a line break. `columns`: undefined where lines may have any length. */
export function treeText(
  graph: ArtefactGraph,
  drawing: Drawing,
  columns: number | undefined,
): string {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const sources = new Map<ArtefactId, ArtefactId[]>();
  for (const { from, to } of graph.edges) sources.set(to, [...(sources.get(to) ?? []), from]);
  const own = graph.nodes.filter(({ kind }) => kind === "artefact");
  // An artefact written by hand may name any source. Only an earlier one can be its parent.
  const places = new Map(own.map(({ id }, at) => [id, at]));
  const parents = new Map<ArtefactId, ArtefactId>();
  for (const { id } of own) {
    const isBefore = (source: ArtefactId) =>
      (places.get(source) ?? Number.POSITIVE_INFINITY) < (places.get(id) ?? 0);
    const parent = sources.get(id)?.find(isBefore);
    if (parent !== undefined) parents.set(id, parent);
  }
  const tree = { graph, nodes, sources, parents, drawing, columns };
  const roots = own.filter(({ id }) => !parents.has(id));
  return `${roots.flatMap(({ id }) => branch(tree, id, "", "")).join("\n")}\n`;
}

/** `head`: the prefix of the artefact's first line; `stem`: the prefix of all lines below it. */
function branch(tree: Tree, id: ArtefactId, head: string, stem: string): string[] {
  const { nodes, parents, drawing } = tree;
  const { tee, corner, line } = drawing.symbols;
  const node = nodes.get(id);
  if (node === undefined) return [];
  const children = [...parents].filter(([, parent]) => parent === id).map(([child]) => child);
  return [
    ...textLines(tree, node, head, `${stem}${children.length > 0 ? line : " "}  `),
    ...children.flatMap((child, at) => {
      const isLast = at === children.length - 1;
      return branch(
        tree,
        child,
        `${stem}${isLast ? corner : tee} `,
        `${stem}${isLast ? " " : line}  `,
      );
    }),
  ];
}

function textLines(
  { graph, columns, drawing, ...tree }: Tree,
  node: GraphNode,
  head: string,
  below: string,
): string[] {
  const { style, symbols } = drawing;
  const { title, maker, summary, cost, claims } = detailsOf(node, failuresOf(graph));
  const paint = style[colours[lookOf(node, graph.goal)]];
  const quote = summary === "" ? "" : `  ${style.dim("“")}${summary}${style.dim("”")}`;
  const others = othersOf(tree, node);
  const also = others.length === 0 ? "" : `  ${style.dim(`also from ${others.join(", ")}`)}`;
  const width =
    columns === undefined ? undefined : Math.max(minTextColumns, columns - below.length);
  const maxPrefix = columns === undefined ? Number.POSITIVE_INFINITY : columns - minTextColumns;
  // A prefix that is too long is drawn by its end.
  const shown = (prefix: string) =>
    style.dim(
      prefix.length <= maxPrefix ? prefix : `${symbols.more}${prefix.slice(1 - maxPrefix)}`,
    );
  const layout = { style, columns: width };
  const named = `${paint(title)} ${style.bold(shortId(node.id))} by ${maker}`;
  const fits = width === undefined || visibleWidth(`${named}${quote}`) <= width;
  const first = [
    ...wrap(fits ? `${named}${quote}${also}` : `${named}${also}`, { columns: width }).split("\n"),
    ...(fits ? [] : quotedLines(summary, layout)),
  ];
  const rest = [
    ...(cost === "" ? [] : wrap(style.dim(cost), { columns: width, indent: 2 }).split("\n")),
    ...claims.flatMap(({ name, detail }) =>
      detail === ""
        ? [style.dim(name)]
        : saidWith(style.dim(`${name}: `), style.dim(detail), layout, "  "),
    ),
  ];
  return [...first, ...rest].map((text, at) => `${shown(at === 0 ? head : below)}${text}`);
}

function failuresOf({ nodes }: ArtefactGraph) {
  return nodes.flatMap((node) =>
    node.kind === "artefact" && node.structural_type === "Failure" ? [node] : [],
  );
}

/** The sources that are not above it in the tree. */
function othersOf(
  { nodes, sources, parents }: Pick<Tree, "nodes" | "sources" | "parents">,
  node: GraphNode,
): string[] {
  const above = new Set<ArtefactId>();
  for (let at = parents.get(node.id); at !== undefined; at = parents.get(at)) above.add(at);
  return (sources.get(node.id) ?? [])
    .filter((source) => !above.has(source))
    .map((source) => nameOf(nodes.get(source), source));
}

function nameOf(node: GraphNode | undefined, id: ArtefactId): string {
  if (node?.kind === "outside") return `${shortId(id)} of goal ${shortId(node.goal_id)}`;
  return node?.kind === "artefact" ? shortId(id) : `${shortId(id)}, not on the blackboard`;
}
