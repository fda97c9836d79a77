// The state of a goal in its colour, as a word and as a sentence.

import type { Colour, Style } from "../../../lib/client/text/style.ts";
import type { GoalState } from "../../../lib/core/goal-status.ts";

const colours: Record<GoalState, Colour> = {
  achieved: "green",
  settled: "green",
  running: "cyan",
  waiting: "yellow",
  stalled: "yellow",
  failed: "red",
  cancelled: "red",
};

export function paintState(state: GoalState, style: Style): string {
  return style[colours[state]](state);
}

/** The words around the state in a sentence. */
const phrases: Record<GoalState, readonly [before: string, after: string]> = {
  achieved: ["is ", ""],
  settled: ["is ", ""],
  running: ["is ", ""],
  waiting: ["is ", " for a person"],
  stalled: ["is ", ""],
  failed: ["", ""],
  cancelled: ["was ", ""],
};

/** `Goal ed094742 failed.` `name`: the goal's short id. */
export function stateSentence(name: string, state: GoalState, style: Style): string {
  const [before, after] = phrases[state];
  return `Goal ${name} ${before}${style.bold(paintState(state, style))}${after}.`;
}
