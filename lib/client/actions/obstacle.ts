// An obstacle keeps an instance from going on: a pause, or no active orchestrator.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { periodBudget } from "../../model/payer-name.ts";
import { periodOf } from "../../model/spending.ts";
import { agoOf } from "../../words/age.ts";
import { pausedBy } from "../../words/paused-by.ts";
import { orchestratorProblem } from "../render/waiting-text.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** `until` begins with `when`; `next` is advice. */
export type Obstacle = { until: string; next: string };

/** Undefined where the instance goes on by itself. */
export async function readObstacle(
  board: PersonBlackboard,
  suggest: Suggest,
): Promise<Obstacle | undefined> {
  const [pause, holds, leader, nowMs] = await Promise.all([
    board.readPause(),
    board.readHolds(),
    board.readLeader(),
    board.time(),
  ]);
  if (pause !== undefined) {
    const by = `paused by ${oneLine(pausedBy(pause.by))}, ${agoOf(pause.since, nowMs)}`;
    return {
      until: `when the instance is resumed (${by})`,
      next: `Resume it: ${suggest("resume")}`,
    };
  }
  const hold = holds.find(({ whose }) => whose === "instance");
  if (hold !== undefined) {
    const per = periodOf(hold.period);
    return {
      until: `when ${periodBudget(hold.whose, hold.period)} is raised, or that ${per} is over`,
      next: `Raise it: ${suggest(`budget --add 5usd --per ${per}`)}`,
    };
  }
  const problem = orchestratorProblem({ leader });
  if (problem === undefined) return undefined;
  return {
    until: `when an orchestrator runs again (${problem})`,
    next: `Its log: ${suggest("logs orchestrator")}`,
  };
}
