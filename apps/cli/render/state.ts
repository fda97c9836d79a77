// A goal's state, in its colour.
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
