// Follows one goal until nothing more will happen by itself.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { GoalState } from "../../lib/core/goal-status.ts";
import { exitCodes } from "../../lib/model/errors.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { EventPrinter } from "./event-printer.ts";
import { followLog } from "./follow-log.ts";
import { type GoalReading, readGoal } from "./read-goal.ts";
import type { Shell } from "./shell.ts";

/** After these a goal may be at rest; after all others something is still under way. */
const lastWords = new Set<SettEvent["type"]>([
  "claim_completed",
  "claim_terminated",
  "goal_ended",
  "grant_waiting",
  "artefact_created",
]);

/** Prints the goal's events until it rests; undefined when it was interrupted. */
export async function followGoal(
  shell: Shell,
  place: { name: string; goal: GoalId; from: string },
  printer: EventPrinter,
): Promise<GoalReading | undefined> {
  const { name, goal, from } = place;
  for await (const { board, events } of followLog(shell, name, from, shell.interrupted)) {
    const ofGoal = events.filter((event) => event.goal_id === goal);
    await printer.print(ofGoal, board);
    if (!ofGoal.some(({ type }) => lastWords.has(type))) continue;
    const reading = await readGoal(board, goal);
    if (reading.status.state === "running") continue;
    await printRest(board, goal, events.at(-1)?.id ?? from, printer);
    return reading;
  }
  return undefined;
}

/** The reading may know of more than has been printed. */
async function printRest(board: Blackboard, goal: GoalId, from: string, printer: EventPrinter): Promise<void> {
  for (let last = from; ; ) {
    const page = await board.readEvents(last, 500);
    if (page.length === 0) return;
    await printer.print(
      page.filter((event) => event.goal_id === goal),
      board,
    );
    last = page.at(-1)?.id ?? last;
  }
}

/** The exit code that a goal's state stands for (DESIGN §11). */
export function exitCodeOf(state: GoalState): number {
  switch (state) {
    case "achieved":
    case "settled":
      return exitCodes.done;
    case "stalled":
    case "running":
      return exitCodes.failed;
    case "failed":
    case "cancelled":
      return exitCodes.goalFailed;
    case "waiting":
      return exitCodes.waiting;
    default:
      return unreachable(state);
  }
}
