// sett graph: draws the artefacts of a goal, their makers and their sources.

import { remedyOf, unreadableSentence } from "../../../lib/client/facts/checked.ts";
import { graphJson, readGraph } from "../../../lib/client/facts/graph.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { dotText } from "../../../lib/client/render/graph-dot.ts";
import { mermaidText } from "../../../lib/client/render/graph-mermaid.ts";
import type { ArtefactGraph } from "../../../lib/core/artefact-graph.ts";
import { type Drawer, drawApart } from "../../../lib/drawing/draw-apart.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { newestGoal } from "../facts/newest-goal.ts";
import { openHistory } from "../instance/open-history.ts";
import { ownCommand } from "../instance/programs.ts";
import { archiveArgument, dataArguments, goalArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { treeText } from "../render/graph-tree.ts";
import { symbolsFor } from "../render/symbols.ts";
import type { Shell } from "../terminal/shell.ts";

/** Mermaid's default limits, which most viewers do not change. */
const mermaidLimits = { characters: 50_000, edges: 500 };

/** Five thousand artefacts take most of it. */
const drawingMs = 60_000;

export const graph = defineCommand({
  name: "graph",
  description: "draw which agent made which artefact, and from what",
  details: [
    "Without GOAL, draws the newest goal. On a terminal it prints a tree: each artefact is below its first source. Elsewhere",
    "it prints Mermaid, which many Markdown viewers draw. In a picture, a thick edge leads from a version to the next one,",
    "the other edges lead from a source to what was made from it, and dashed nodes belong to another goal.",
  ].join("\n"),
  args: {
    goal: goalArgument,
    format: {
      type: "enum",
      options: ["tree", "mermaid", "dot"],
      valueHint: "FORMAT",
      description:
        "tree, mermaid, or dot for Graphviz (default: tree on a terminal, mermaid elsewhere)",
    },
    archive: archiveArgument,
    svg: { type: "boolean", description: "print the picture as SVG" },
    ...dataArguments,
  },
  examples: [
    "sett graph",
    "sett graph --format mermaid > goal.mmd",
    "sett graph 9f3a12b4 --svg > goal.svg",
    "sett graph 9f3a12b4 --format dot | dot -Tpng > goal.png",
    "sett graph 9f3a12b4 --archive sett-demo-20261122T094500Z.jsonl",
    `sett graph 9f3a12b4 --json | jq '.edges[] | select(.kind == "evolutionary")'`,
  ],
  async run(args, shell) {
    const form = formOf(args, shell);
    await using opened = await openHistory(shell, args);
    const { board } = opened;
    const goal =
      args.goal === undefined
        ? await newestGoal(board, shell)
        : await resolveGoalId(board, args.goal, shell.suggest);
    // Listed first, so that what is made meanwhile is not missed in the graph.
    const listed = await board.listArtefactsOfGoal(goal);
    const graph = await readGraph(board, goal);
    await shell.out.write(await textOf(graph, form, shell));
    const drawn = new Set<string>(graph.nodes.map(({ id }) => id));
    const unreadable = listed.filter((id) => !drawn.has(id));
    if (unreadable.length === 0) return;
    shell.messages.warn(unreadableSentence(unreadable));
    shell.messages.next(remedyOf(shell.suggest("doctor")));
    return;
  },
});

type Form = "tree" | "mermaid" | "dot" | "svg" | "json";

function formOf(
  { format, svg, json }: { format: string | undefined; svg: boolean; json: boolean },
  { out }: Shell,
): Form {
  const forms = [
    ...(format === undefined ? [] : [`--format ${format}`]),
    ...(svg ? ["--svg"] : []),
    ...(json ? ["--json"] : []),
  ];
  if (forms.length > 1)
    throw new SettError("usage", `${forms.join(" and ")} cannot be used together.`, {
      hint: "Leave out all but one of them.",
    });
  if (svg) return "svg";
  if (json) return "json";
  if (format === "tree" || format === "dot" || format === "mermaid") return format;
  return out.isTerminal ? "tree" : "mermaid";
}

async function textOf(drawn: ArtefactGraph, form: Form, shell: Shell): Promise<string> {
  switch (form) {
    case "tree":
      return treeText(
        drawn,
        { style: shell.out.style, symbols: symbolsFor(shell.env) },
        shell.out.columns,
      );
    case "mermaid":
      return mermaidWithinLimits(drawn, shell);
    case "dot":
      return dotText(drawn);
    case "svg":
      return await drawApart(dotText(drawn), drawer(shell), shell.interrupted);
    case "json":
      return `${JSON.stringify(graphJson(drawn))}\n`;
    default:
      return unreachable(form);
  }
}

function drawer({ cwd }: Shell): Drawer {
  return { command: [...ownCommand(), "--draw"], cwd, timeoutMs: drawingMs };
}

function mermaidWithinLimits(drawn: ArtefactGraph, { messages }: Shell): string {
  const text = mermaidText(drawn);
  if (text.length > mermaidLimits.characters || drawn.edges.length > mermaidLimits.edges)
    messages.warn("Most viewers of Mermaid refuse a graph of this size. --svg draws it.");
  return text;
}
