// Text of agents cannot break the DOT text of a graph, and is drawn as it was written.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dotText } from "../../../../../lib/client/render/graph-dot.ts";
import { draw } from "../../../../../lib/drawing/draw.ts";
import {
  anyGraph,
  anyText,
  graphOf,
  hostile,
  labelsOf,
  posted,
} from "../../../../support/records/hostile-labels.ts";

describe("DOT", () => {
  const plain = "(?:[^<>&]|&#\\d+;)*";
  const node = new RegExp(
    `^ {2}"[0-9a-f-]{36}" \\[label=<<B>${plain}</B>(?:<BR/>${plain})*>, [^<>]+\\]$`,
    "u",
  );
  const other =
    /^(?:digraph "goal [0-9a-f-]{36}" \{| {2}(?:node|edge) \[.*\]| {2}"[0-9a-f-]{36}" -> "[0-9a-f-]{36}".*|\}|)$/;

  test("has one line for each node, with nothing in its label that Graphviz reads as its own", () => {
    fc.assert(
      fc.property(anyGraph, (drawn) => {
        const lines = dotText(drawn).split("\n");
        const nodes = lines.filter((line) => node.test(line));
        expect(nodes).toHaveLength(drawn.nodes.length);
        for (const line of lines) if (!nodes.includes(line)) expect(line).toMatch(other);
      }),
    );
  });

  test("is drawn by Graphviz without a complaint, and every label says what it should", async () => {
    const drawn = graphOf([...hostile, ...fc.sample(anyText, 150)].map(posted));
    const svg = await draw(dotText(drawn));
    const nodes = svg.split('class="node"').slice(1);
    expect(nodes.map(textOfSvg)).toEqual(
      labelsOf(drawn).map((line) => line.replace(/[\s\u200b]/g, "")),
    );
  });

  test("a large graph is drawn whole, in a shorter way", async () => {
    const heads = Array.from({ length: 400 }, (_, number) => posted(`Part ${number}`));
    const dot = dotText(graphOf(heads));
    const svg = await draw(dot);
    // The goal is a node, too, and each part was made from it.
    expect(svg.split('class="node"').slice(1)).toHaveLength(401);
    expect(svg.split('class="edge"').slice(1)).toHaveLength(400);
    expect(dot).toContain("splines=line");
    expect(dotText(graphOf(heads.slice(0, 200)))).not.toContain("splines");
  });
});

function textOfSvg(node: string): string {
  const texts = [...node.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, inside = ""]) => inside);
  return texts
    .join("")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/[\s\u200b]/g, "");
}
