// A claim's bids and phases in one line: `review ✓✓ → parallel ●○ → exclusive ·`.

import {
  type ClaimPhase,
  phasesOf,
  type StepState,
  stageOf,
} from "../../../lib/client/render/claim-phases.ts";
import type { Colour, Style } from "../../../lib/client/text/style.ts";
import type { Claim, ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { Symbols } from "./symbols.ts";

/**
 * `names`: the name and the sign of each agent; `signs`: only the signs; `letters`: the phases as
 * first letters, too.
 */
export type Detail = "names" | "signs" | "letters";
export type Drawing = { style: Style; symbols: Symbols };

const colours: Partial<Record<StepState, Colour>> = {
  done: "green",
  rejected: "red",
  running: "yellow",
  retrying: "red",
  failed: "red",
  waiting: "yellow",
  coming: "dim",
};

export function phaseStrip(snapshot: ClaimSnapshot, detail: Detail, drawing: Drawing): string {
  const stage = stageOf(snapshot.claim);
  if (stage === "bidding") return bidStrip(snapshot.claim, detail, drawing);
  const phases = phasesOf(snapshot);
  if (phases.length === 0) return drawing.style.dim("no bids");
  const parts = phases.map((phase) => phasePart(phase, detail, phase.phase === stage, drawing));
  return parts.join(detail === "letters" ? " " : ` ${drawing.style.dim(drawing.symbols.arrow)} `);
}

function phasePart(
  { phase, steps }: ClaimPhase,
  detail: Detail,
  isCurrent: boolean,
  { style, symbols }: Drawing,
): string {
  const label = detail === "letters" ? phase.slice(0, 1).toUpperCase() : phase;
  const title = (isCurrent ? style.bold : style.dim)(label);
  const marks = steps.map(({ agent, state }) => {
    const mark = style[colours[state] ?? "cyan"](symbols[state]);
    return detail === "names" ? `${mark}${agent}` : mark;
  });
  if (detail === "letters") return `${title}${marks.join("")}`;
  return `${title} ${marks.join(detail === "names" ? " " : "")}`;
}

function bidStrip(claim: Claim, detail: Detail, { style, symbols }: Drawing): string {
  const words = new Map(claim.bids.map((bid) => [bid.agent, bid.word]));
  const title = style.bold("bids");
  if (detail !== "names") {
    // In the order of the electorate, so that each agent keeps its place.
    const marks = claim.electorate.map((agent) => {
      const word = words.get(agent);
      if (word === undefined) return style.yellow(symbols.missing);
      return word === "ignore"
        ? style.dim(symbols.ignore)
        : style.green(word.slice(0, 1).toUpperCase());
    });
    return `${title} ${marks.join("")}`;
  }
  const others = claim.electorate.flatMap((agent) => {
    const word = words.get(agent);
    if (word === "ignore") return [];
    return [`${agent}:${word === undefined ? style.yellow(symbols.missing) : style.green(word)}`];
  });
  const ignored = claim.bids.filter((bid) => bid.word === "ignore").length;
  return [title, ...others, ...(ignored === 0 ? [] : [style.dim(`${ignored} ignore`)])].join(" ");
}
