// Says who pays for a goal: among them the places of workers are shared.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { GoalId } from "../../../lib/model/ids.ts";

type Board = Pick<LeaderBlackboard, "readSpending">;

const minRemembered = 1_000;

export class Payers {
  readonly #board: Board;
  readonly #known = new RecentMap<GoalId, string>(minRemembered);

  constructor(board: Board) {
    this.#board = board;
  }

  /** It is stored with the goal, and never changes. A goal without a payer counts alone. */
  async of(goal: GoalId): Promise<string> {
    const known = this.#known.get(goal);
    if (known !== undefined) return known;
    const payer = (await this.#board.readSpending(goal)).payer ?? goal;
    this.#known.set(goal, payer);
    return payer;
  }
}
