// Rings the terminal's bell when a person is wanted, or when a goal has come to a bad end. What is past does not ring.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { keyOf, keyOfEvent, readAsked } from "../facts/awaited.ts";
import { readGoal } from "../facts/goal.ts";
import type { Output } from "../terminal/output.ts";

const ends = new Set<SettEvent["type"]>(["claim_completed", "claim_terminated", "goal_ended"]);

export class Bell {
  readonly #err: Output;
  /** Goals that have a Failure: those that may turn out failed. */
  readonly #inTrouble = new Set<GoalId>();

  constructor(err: Output) {
    this.#err = err;
  }

  /** To be told all events, the past ones too. `sinceMs`: Redis TIME at which the present began. */
  async hear(events: readonly SettEvent[], board: Blackboard, sinceMs: number): Promise<void> {
    for (const { type, goal_id, data } of events)
      if (type === "artefact_created" && data?.structural_type === "Failure" && goal_id) this.#inTrouble.add(goal_id);
    const present = events.filter(({ time }) => Date.parse(time) >= sinceMs);
    if (present.length === 0 || !this.#err.isTerminal) return;
    if ((await this.#isSomebodyAsked(present, board)) || (await this.#hasGoalFailed(present, board)))
      await this.#err.write("\u0007");
  }

  async #isSomebodyAsked(events: readonly SettEvent[], board: Blackboard): Promise<boolean> {
    const told = new Set(events.map(keyOfEvent));
    told.delete(undefined);
    return told.size > 0 && (await readAsked(board)).some((asked) => told.has(keyOf(asked)));
  }

  async #hasGoalFailed(events: readonly SettEvent[], board: Blackboard): Promise<boolean> {
    const goals = new Set(events.flatMap(({ type, goal_id }) => (ends.has(type) && goal_id ? [goal_id] : [])));
    for (const goal of goals) {
      if (!this.#inTrouble.has(goal) || (await readGoal(board, goal)).status.state !== "failed") continue;
      // Once, unless it is tried again and fails again.
      this.#inTrouble.delete(goal);
      return true;
    }
    return false;
  }
}
