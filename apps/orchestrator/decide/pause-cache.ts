// Whether the instance is paused, kept in memory until it changes or a reconnect makes it stale.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";

type Board = Pick<LeaderBlackboard, "readPause">;

export class PauseCache {
  #reading: Promise<boolean> | undefined;
  readonly #board: Board;

  constructor(board: Board) {
    this.#board = board;
  }

  isPaused(): Promise<boolean> {
    if (this.#reading === undefined) {
      const reading = this.#board.readPause().then((pause) => pause !== undefined);
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
