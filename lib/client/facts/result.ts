// Reads what came of a goal.
import { type GoalResult, goalResult } from "../../core/goal-result.ts";
import type { GoalState } from "../../core/goal-status.ts";
import { settRef } from "../../git/repository/refs.ts";
import type { GoalId, InstanceName } from "../../model/ids.ts";
import { shortId } from "../../words/short-id.ts";
import { costJson } from "../render/cost-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { readGraph } from "./graph.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** `state`: where the caller knows it. */
export async function readResult(
  board: ReadingBoard,
  goal: GoalId,
  state: GoalState,
): Promise<GoalResult> {
  const [graph, agents] = await Promise.all([readGraph(board, goal), board.listAgents()]);
  return goalResult(graph, state, agents);
}

/**
 * As JSON shows it everywhere; money in US dollars. `ref`: the name of the commit in git. `merge`:
 * the command that merges; null where there is nothing to merge.
 */
export function resultJson(result: GoalResult, instance: InstanceName, suggest: Suggest) {
  return {
    ...result,
    commits: result.commits.map((one) => ({ ...one, ref: settRef(instance, one.artefact) })),
    merge: isMergeable(result) ? suggest(`merge ${shortId(result.goal)}`) : null,
    cost: result.cost === null ? null : costJson(result.cost),
  };
}

/** Only what has ended well is merged. */
export function isMergeable({ state, commits }: GoalResult): boolean {
  return (state === "achieved" || state === "settled") && commits.length > 0;
}
