// Keeps what was read of a goal until an event says that the goal has changed.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { EventHub } from "../events/hub.ts";

/** A change by hand makes no event: nothing older is shown. */
const oldestMs = 30_000;
/**
 * How long a request waits until the hub has seen what is in the log; after that, it reads anew.
 */
const catchUpMs = 250;

type Options = {
  board: Pick<PersonBlackboard, "onReconnect">;
  hub: EventHub;
  signal: AbortSignal;
  minEntries: number;
};

export class KeptUntilEvent<Value> {
  readonly #hub: EventHub;
  readonly #signal: AbortSignal;
  readonly #known: RecentMap<GoalId, { value: Value; readAt: number }>;
  /** Goals that are being read, with whether one of their events has come meanwhile. */
  readonly #reading = new Map<GoalId, Set<{ isStale: boolean }>>();

  constructor({ board, hub, signal, minEntries }: Options) {
    this.#hub = hub;
    this.#signal = signal;
    this.#known = new RecentMap(minEntries);
    hub.listen((events) => {
      for (const { goal_id } of events) if (goal_id !== undefined) this.#forget(goal_id);
    });
    board.onReconnect(() => this.#known.clear());
  }

  /**
   * Returns them in the order of `goals`; what was written before the call is in what it gives.
   * `mayKeep`: whether what was read may be kept.
   */
  async read(
    goals: readonly GoalId[],
    readOne: (goal: GoalId) => Promise<Value>,
    mayKeep: (value: Value) => boolean = () => true,
  ): Promise<Value[]> {
    const mayKnow = goals.some((goal) => this.#known.get(goal) !== undefined);
    if (mayKnow && !(await this.#hub.caughtUp(catchUpMs, this.#signal)))
      for (const goal of goals) this.#known.delete(goal);
    return await Promise.all(goals.map((goal) => this.#one(goal, readOne, mayKeep)));
  }

  async #one(
    goal: GoalId,
    readOne: (goal: GoalId) => Promise<Value>,
    mayKeep: (value: Value) => boolean,
  ): Promise<Value> {
    const known = this.#known.get(goal);
    if (known !== undefined && performance.now() - known.readAt < oldestMs) return known.value;
    const mark = { isStale: false };
    const marks = this.#reading.get(goal) ?? new Set();
    this.#reading.set(goal, marks.add(mark));
    try {
      const readAt = performance.now();
      const value = await readOne(goal);
      if (!mark.isStale && this.#hub.last !== undefined && mayKeep(value))
        this.#known.set(goal, { value, readAt });
      return value;
    } finally {
      marks.delete(mark);
      if (marks.size === 0) this.#reading.delete(goal);
    }
  }

  #forget(goal: GoalId): void {
    this.#known.delete(goal);
    for (const mark of this.#reading.get(goal) ?? []) mark.isStale = true;
  }
}
