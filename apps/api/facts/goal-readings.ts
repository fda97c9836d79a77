// The state of goals, read once and kept until an event says that a goal has changed.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/holders.ts";
import { type GoalCost, readGoalCost } from "../../../lib/client/facts/costs.ts";
import { failuresOf, goalSummary, readGoal } from "../../../lib/client/facts/goal.ts";
import type { GoalStatus } from "../../../lib/core/goal-status.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { EventHub } from "../events/hub.ts";

/** What is shown of a goal, without the heads of its artefacts. */
export type GoalFacts = {
  goal: GoalId;
  status: GoalStatus;
  summary: string;
  created_at: string;
  artefacts: number;
  failures: ArtefactHead[];
  commit: string | undefined;
  cost: GoalCost | undefined;
};

/** A change by hand makes no event: nothing older is shown. */
const oldestMs = 30_000;
const minEntries = 1_000;
/** How long a request waits until the hub has seen what is in the log; after that, it reads anew. */
const catchUpMs = 250;

export class GoalReadings {
  readonly #board: PersonBlackboard;
  readonly #hub: EventHub;
  readonly #signal: AbortSignal;
  readonly #known = new RecentMap<GoalId, { facts: GoalFacts; readAt: number }>(minEntries);
  /** Goals that are being read, with whether one of their events has come meanwhile. */
  readonly #reading = new Map<GoalId, Set<{ isStale: boolean }>>();

  constructor(board: PersonBlackboard, hub: EventHub, signal: AbortSignal) {
    this.#board = board;
    this.#hub = hub;
    this.#signal = signal;
    hub.listen((events) => {
      for (const { goal_id } of events) if (goal_id !== undefined) this.#forget(goal_id);
    });
    board.onReconnect(() => this.#known.clear());
  }

  /** In the order of `goals`; what a caller has written before is in what it reads. */
  async read(goals: readonly GoalId[]): Promise<GoalFacts[]> {
    const mayKnow = goals.some((goal) => this.#known.get(goal) !== undefined);
    if (mayKnow && !(await this.#hub.caughtUp(catchUpMs, this.#signal))) for (const goal of goals) this.#known.delete(goal);
    return await Promise.all(goals.map((goal) => this.#one(goal)));
  }

  async #one(goal: GoalId): Promise<GoalFacts> {
    const known = this.#known.get(goal);
    if (known !== undefined && performance.now() - known.readAt < oldestMs) return await this.#withCost(known.facts);
    const mark = { isStale: false };
    const marks = this.#reading.get(goal) ?? new Set();
    this.#reading.set(goal, marks.add(mark));
    try {
      const readAt = performance.now();
      const [reading, cost] = await Promise.all([readGoal(this.#board, goal), readGoalCost(this.#board, goal)]);
      const { artefacts, status } = reading;
      const first = artefacts.find(({ id }) => String(id) === String(goal));
      const facts: GoalFacts = {
        ...{ goal, status, cost, summary: goalSummary(reading), failures: failuresOf(reading) },
        created_at: (first ?? artefacts[0])?.created_at ?? new Date(0).toISOString(),
        artefacts: artefacts.length,
        commit: first?.metadata.commit,
      };
      if (!mark.isStale && this.#hub.last !== undefined) this.#known.set(goal, { facts, readAt });
      return facts;
    } finally {
      marks.delete(mark);
      if (marks.size === 0) this.#reading.delete(goal);
    }
  }

  /** Calls that begin make no event. */
  async #withCost(facts: GoalFacts): Promise<GoalFacts> {
    const { state } = facts.status;
    if (state !== "running" && state !== "waiting") return facts;
    return { ...facts, cost: await readGoalCost(this.#board, facts.goal) };
  }

  #forget(goal: GoalId): void {
    this.#known.delete(goal);
    for (const mark of this.#reading.get(goal) ?? []) mark.isStale = true;
  }
}
