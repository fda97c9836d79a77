// The state of a goal in its colour, as a word and as a sentence.
import type { GoalState } from "../../../lib/core/goal-status.ts";
import type { Colour, Style } from "../text/style.ts";

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

const verbs: Record<GoalState, string> = {
  achieved: "is ",
  settled: "is ",
  running: "is ",
  waiting: "is ",
  stalled: "is ",
  failed: "",
  cancelled: "was ",
};

/** `Goal ed094742 failed.` `name`: the goal's short id. */
export function stateSentence(name: string, state: GoalState, style: Style): string {
  return `Goal ${name} ${verbs[state]}${style.bold(paintState(state, style))}.`;
}
