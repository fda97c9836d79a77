// Whether the time that has passed may be held against an agent: only after unbroken contact, by
// clocks that ran on. So a laptop that slept, an unreachable Redis or a clock that a person changed
// fails no agent.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";

/** A gap this long between two ticks of a loop means that the whole process did not run. */
const sleepGapMs = 3_000;

/**
 * Redis' clock and ours drift apart by so much at once only when one of them was changed, or a
 * machine has slept.
 */
const maxDriftMs = 1_000;

type Board = Pick<LeaderBlackboard, "contactSince">;

export class ContactClock {
  #lastTickMs: number;
  #soundSinceMs: number;
  /** How far Redis' clock is ahead of ours. */
  #aheadMs: number | undefined;
  readonly #board: Board;
  readonly #nowMs: () => number;

  /** `nowMs`: of a clock that cannot be set. */
  constructor(board: Board, nowMs: () => number) {
    this.#board = board;
    this.#nowMs = nowMs;
    this.#lastTickMs = nowMs();
    this.#soundSinceMs = nowMs();
  }

  /**
   * The loop for deadlines calls this on every tick, with Redis' time. Returns by how much Redis'
   * clock was changed since the last tick.
   */
  tick(redisMs: number): number {
    const nowMs = this.#nowMs();
    const aheadMs = redisMs - nowMs;
    const stepMs = aheadMs - (this.#aheadMs ?? aheadMs);
    const isChanged = Math.abs(stepMs) > maxDriftMs;
    if (isChanged || nowMs - this.#lastTickMs > sleepGapMs) this.#soundSinceMs = nowMs;
    this.#lastTickMs = nowMs;
    this.#aheadMs = aheadMs;
    return isChanged ? stepMs : 0;
  }

  /**
   * True when for `ms` contact was unbroken, this process ran, and Redis' clock was not changed.
   */
  hasLasted(ms: number): boolean {
    const since = this.#board.contactSince();
    // The process slept, and the caller runs before the loop that ticks.
    if (this.#nowMs() - this.#lastTickMs > sleepGapMs) return false;
    return since !== undefined && this.#nowMs() - Math.max(since, this.#soundSinceMs) >= ms;
  }
}
