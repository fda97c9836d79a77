// Knows whether new work of a goal may begin: the instance may be paused, or a budget of a day or a
// month used up. Kept in memory until it changes or a reconnect makes it stale.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { Payer } from "../../../lib/model/spending.ts";

type Board = Pick<LeaderBlackboard, "readPause" | "readHolds" | "isHeld">;
type State = { isPaused: boolean; held: readonly Payer[] };

export class PauseCache {
  #reading: Promise<State> | undefined;
  readonly #board: Board;

  constructor(board: Board) {
    this.#board = board;
  }

  /** `isPaused`: nothing new is granted. `isHeld`: because of a budget. */
  async of(goal: GoalId): Promise<{ isPaused: boolean; isHeld: boolean }> {
    const { isPaused, held } = await this.#state();
    const isHeld =
      held.length > 0 && (held.includes("instance") || (await this.#board.isHeld(goal)));
    return { isPaused: isPaused || isHeld, isHeld };
  }

  #state(): Promise<State> {
    if (this.#reading === undefined) {
      const reading = Promise.all([this.#board.readPause(), this.#board.readHolds()]).then(
        ([pause, holds]) => ({
          isPaused: pause !== undefined,
          held: holds.map(({ whose }) => whose),
        }),
      );
      this.#reading = reading;
      // A failed read must not be remembered.
      reading.catch(() => this.forget());
    }
    return this.#reading;
  }

  forget(): void {
    this.#reading = undefined;
  }
}
