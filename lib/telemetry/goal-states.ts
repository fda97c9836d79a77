// Remembers how goals have ended, so that no scrape reads the goals of the past.
import { readGoalFacts } from "../blackboard/records/read-goal-facts.ts";
import { goalStatus } from "../core/goal-status.ts";
import { GoalId } from "../model/ids.ts";
import type { TelemetryBoard } from "./board.ts";
import type { EndState } from "./open-goal.ts";

/** The newest, of which the state is known or will be read. */
const maxGoals = 5_000;
/** At most so many of the goals that are there at the start are read. */
const maxPast = 500;

const states = [
  "running",
  "waiting",
  "failed",
  "achieved",
  "settled",
  "stalled",
  "cancelled",
] as const;

export class GoalStates {
  readonly #board: TelemetryBoard;
  readonly #known = new Map<string, string>();
  readonly #unread = new Set<string>();

  constructor(board: TelemetryBoard) {
    this.#board = board;
  }

  /** `state`: undefined where it is to be read. */
  ended(goal: string, state: EndState | undefined): void {
    if (state === undefined) this.#unread.add(goal);
    else this.#remember(goal, state);
  }

  /** Finds the newest goals of the past. */
  async load(): Promise<void> {
    const count = await this.#board.countGoals();
    const newest = await this.#board.listGoals({
      from: Math.max(0, count - maxPast),
      count: maxPast,
    });
    for (const goal of newest) this.#unread.add(goal);
  }

  /** Reads the states of some goals of which it is not known. */
  async readSome(max: number): Promise<void> {
    for (const goal of [...this.#unread].slice(0, max)) {
      const id = GoalId.parse(goal);
      const heads = async (ids: Parameters<TelemetryBoard["readHeads"]>[0]) =>
        (await this.#board.readHeads(ids)).map(({ head }) => head);
      const facts = await readGoalFacts(this.#board, id, heads, () => false);
      this.#unread.delete(goal);
      // It may have been pruned.
      if (facts.artefacts.length > 0) this.#remember(goal, goalStatus(facts).state);
    }
  }

  /** Counts goals by state; those in `goOn` have the state that they have there. */
  counts(goOn: ReadonlyMap<string, "running" | "waiting">): Map<string, number> {
    const counts = new Map<string, number>(states.map((state) => [state, 0]));
    const add = (state: string) => counts.set(state, (counts.get(state) ?? 0) + 1);
    for (const state of goOn.values()) add(state);
    for (const [goal, state] of this.#known)
      if (!goOn.has(goal) && state !== "running" && state !== "waiting") add(state);
    return counts;
  }

  #remember(goal: string, state: string): void {
    this.#known.delete(goal);
    this.#known.set(goal, state);
    if (this.#known.size <= maxGoals) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
