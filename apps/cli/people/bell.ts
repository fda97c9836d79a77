// Rings the terminal's bell when a person is asked, and when a goal has failed. Past events do not
// ring.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import {
  inquiryKey,
  inquiryKeyOfEvent,
  readInquiries,
} from "../../../lib/client/facts/inquiries.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { Output } from "../terminal/output.ts";

const ends = new Set<SettEvent["type"]>(["claim_completed", "claim_terminated", "goal_ended"]);

export class Bell {
  readonly #err: Output;
  /** Goals that have a Failure: they may fail. */
  readonly #inTrouble = new Set<GoalId>();

  constructor(err: Output) {
    this.#err = err;
  }

  /** Needs all events, the past ones too. `sinceMs`: the Redis TIME at which the present began. */
  async onEvents(
    events: readonly SettEvent[],
    board: PersonBlackboard,
    sinceMs: number,
  ): Promise<void> {
    for (const { type, goal_id, data } of events)
      if (type === "artefact_created" && data?.structural_type === "Failure" && goal_id)
        this.#inTrouble.add(goal_id);
    const present = events.filter(({ time }) => Date.parse(time) >= sinceMs);
    if (present.length === 0 || !this.#err.isTerminal) return;
    if ((await this.#isPersonAsked(present, board)) || (await this.#hasGoalFailed(present, board)))
      await this.#err.write("\u0007");
  }

  async #isPersonAsked(events: readonly SettEvent[], board: PersonBlackboard): Promise<boolean> {
    const keys = new Set(events.map(inquiryKeyOfEvent));
    keys.delete(undefined);
    return (
      keys.size > 0 && (await readInquiries(board)).some((inquiry) => keys.has(inquiryKey(inquiry)))
    );
  }

  async #hasGoalFailed(events: readonly SettEvent[], board: PersonBlackboard): Promise<boolean> {
    const goals = new Set(
      events.flatMap(({ type, goal_id }) => (ends.has(type) && goal_id ? [goal_id] : [])),
    );
    for (const goal of goals) {
      if (
        !this.#inTrouble.has(goal) ||
        (await readGoalState(board, goal)).status.state !== "failed"
      )
        continue;
      // It rings once, and again only if a retry fails too.
      this.#inTrouble.delete(goal);
      return true;
    }
    return false;
  }
}
