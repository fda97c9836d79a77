// Reads what calls of language models have cost.
import { type Cost, callsByArtefact, costOf, costsBy } from "../../core/call-costs.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import type { AgentName, ArtefactId, GoalId } from "../../model/ids.ts";
import type { CallRecord } from "../../model/model-call.ts";
import { readHeads } from "./artefacts.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** Undefined where no call was made for it. `under_way`: calls that have not ended. */
export type GoalCost = { total: Cost; agents: Map<AgentName, Cost>; under_way: number };

export async function readGoalCost(
  board: Pick<ReadingBoard, "readCalls">,
  goal: GoalId,
): Promise<GoalCost | undefined> {
  const { ended, open } = await board.readCalls(goal);
  if (ended.length + open.length === 0) return undefined;
  return {
    total: costOf(ended),
    agents: costsBy(ended, ({ agent }) => agent),
    under_way: open.length,
  };
}

/** Returns the costs of a goal and each of its artefacts; undefined where no call has ended. */
type GoalCosts = { total: Cost; artefacts: Map<ArtefactId, Cost> };

/** `known`: all artefacts of the goal, where the caller has them. */
export async function readGoalCosts(
  board: Pick<ReadingBoard, "readCalls" | "listArtefactsOfGoal" | "readHeads">,
  goal: GoalId,
  known?: readonly ArtefactHead[],
): Promise<GoalCosts | undefined> {
  const { ended } = await board.readCalls(goal);
  if (ended.length === 0) return undefined;
  const artefacts = known ?? (await readHeads(board, await board.listArtefactsOfGoal(goal)));
  return { total: costOf(ended), artefacts: costsOfCalls(callsByArtefact(artefacts, ended)) };
}

export function costsOfCalls(
  calls: ReadonlyMap<ArtefactId, readonly CallRecord[]>,
): Map<ArtefactId, Cost> {
  return new Map([...calls].map(([id, ofArtefact]) => [id, costOf(ofArtefact)]));
}

/** Returns what each artefact of these goals has cost, read once for each goal. */
export class ArtefactCosts {
  readonly #board: Parameters<typeof readGoalCosts>[0];
  readonly #goals = new Map<GoalId, Promise<GoalCosts | undefined>>();

  constructor(board: Parameters<typeof readGoalCosts>[0]) {
    this.#board = board;
  }

  async of(heads: readonly ArtefactHead[]): Promise<Map<ArtefactId, Cost>> {
    const goals = [...new Set(heads.map(({ goal_id }) => goal_id))];
    for (const goal of goals)
      if (!this.#goals.has(goal)) this.#goals.set(goal, readGoalCosts(this.#board, goal));
    const costs = await Promise.all(goals.map((goal) => this.#goals.get(goal)));
    return new Map(costs.flatMap((ofGoal) => [...(ofGoal?.artefacts ?? [])]));
  }
}
