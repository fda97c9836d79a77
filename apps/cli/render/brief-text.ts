// Shows in a terminal what a person should know who judges an artefact.
import type { Brief, Opinion } from "../../../lib/client/facts/brief.ts";
import { costText } from "../../../lib/client/render/cost-text.ts";
import { painted } from "../../../lib/client/render/painted.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { opinionSentence } from "../../../lib/words/opinion-sentence.ts";
import type { Symbols } from "./symbols.ts";

const maxForeign = 200;
const maxOpinions = 20;
const goalLines = 20;
const wordLines = 8;
/** A result that was sent back never has the sign of one that has passed. */
const signs = {
  passed: { symbol: "done", colour: "green" },
  feedback: { symbol: "rejected", colour: "red" },
  failed: { symbol: "failed", colour: "red" },
  open: { symbol: "queued", colour: "yellow" },
  waits: { symbol: "coming", colour: "yellow" },
} as const;

type Drawing = { layout: Layout; symbols: Symbols };

/** Ends with a line break; empty where there is nothing to say. */
export function briefText(brief: Brief, drawing: Drawing): string {
  const { layout } = drawing;
  const { goal, reviews, checks, yours, cost, goal_cost: whole, artefact } = brief;
  const of = (name: string, opinions: readonly Opinion[]) =>
    opinions.length === 0 ? [] : [name, ...opinionLines(opinions, artefact, drawing)];
  const costs = [
    ...(cost === null || cost.calls === 0 ? [] : [`it ${costText(cost)}`]),
    ...(whole === null || whole.calls === 0 ? [] : [`the goal so far ${costText(whole)}`]),
  ];
  const lines = [
    ...(goal === null ? [] : ["The goal:", ...cut(goal.text, goalLines, layout)]),
    ...of("Reviews of this version:", reviews),
    ...of("Checks:", checks),
    ...of("You have said of earlier versions:", yours),
    ...(costs.length === 0 ? [] : [`Cost: ${costs.join("; ")}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function opinionLines(
  opinions: readonly Opinion[],
  judged: string,
  { layout, symbols }: Drawing,
): string[] {
  const { style } = layout;
  const lines = opinions.slice(0, maxOpinions).flatMap((opinion) => {
    const { symbol, colour } = signs[opinion.outcome];
    const mark = style[colour](symbols[symbol]);
    const line = `  ${mark} ${painted(opinionSentence(opinion, judged), style, maxForeign)}`;
    return opinion.words === "" ? [line] : [line, ...cut(opinion.words, wordLines, layout, "    ")];
  });
  const left = opinions.length - maxOpinions;
  return left > 0 ? [...lines, `  … and ${left} more`] : lines;
}

function cut(text: string, max: number, layout: Layout, indent?: string): string[] {
  const lines = quotedLines(text, layout, indent);
  return lines.length <= max ? lines : [...lines.slice(0, max), `${indent ?? "  "}…`];
}
