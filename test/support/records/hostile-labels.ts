// Graphs whose labels try to break the text that draws them.
import fc from "fast-check";
import { labelOf } from "../../../lib/client/render/graph-node.ts";
import {
  artefactGraph,
  type GraphFacts,
  type ReviewedHead,
} from "../../../lib/core/artefact-graph.ts";
import { derived } from "./lineage.ts";

export const goal = derived([], { metadata: { summary: "Paint the door" } });

/** The graph of the goal with these artefacts. */
export const graphOf = (artefacts: readonly ReviewedHead[], more: Partial<GraphFacts> = {}) =>
  artefactGraph({
    goal: goal.goal_id,
    artefacts: [goal, ...artefacts],
    outside: [],
    claims: [],
    ...more,
  });

/** Each of these has broken a label in some version of Mermaid or Graphviz. */
export const hostile = [
  '"]; a1 --> b["',
  "end",
  "%%{init: {'theme':'forest'}}%%",
  "style a1 fill:#f00;",
  "`code` **bold** _it_ __init__ snake_case ~~no~~",
  "1. one",
  "]",
  "] ]]",
  "- item",
  "#quot; #35; &amp; &#60; ﬂ°°60¶ß",
  "$$\\frac{1}{2}$$ fa:fa-car",
  "https://sett.invalid/?a=1&b www.sett.invalid ada@sett.invalid",
  "\\ \\\\ \\N \\G \\",
  "<b>&nbsp;</table><!-- ]]> <script>alert(1)</script>",
  "two\r\nlines\u2028three\u0000\u001b[31m\u202e\ufffe\uffff\ud800",
  "Größe 大きさ 🦡",
  "x".repeat(300),
  " \u00a0 ",
];
const signs = fc.stringMatching(/^[\s\\"'#;:&<>[\](){}%`*_~$@.|\-ab1]{1,60}$/);
/** Any text, hostile ones among them. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  signs,
  fc.constantFrom(...hostile),
);

/** An artefact with this text wherever an agent may write some. */
export const posted = (words: string) =>
  derived([goal], {
    type: [...words].slice(0, 99).join(""),
    produced_by_role: words,
    metadata: { summary: words },
  });
/** Any graph of artefacts with such texts. */
export const anyGraph = fc
  .array(anyText, { minLength: 1, maxLength: 5 })
  .map((texts) => graphOf(texts.map(posted)));
/** Returns what each node says, by lines. */
export const labelsOf = ({ nodes }: ReturnType<typeof graphOf>) =>
  nodes.map((node) => {
    const { title, lines } = labelOf(node);
    return [title, ...lines].join("\n");
  });
