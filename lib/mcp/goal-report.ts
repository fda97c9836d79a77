// A goal as an assistant reads it: its state, what it waits for, what went wrong, and its results, without their content.
import type { PersonBlackboard } from "../blackboard/holders.ts";
import type { Checked } from "../client/facts/checked.ts";
import { readGoalCost } from "../client/facts/costs.ts";
import { failuresOf, type GoalReading, goalSummary, readGoal } from "../client/facts/goal.ts";
import { readInquiries } from "../client/facts/inquiries.ts";
import { inquiryJson } from "../client/facts/inquiry-json.ts";
import { goalCostJson } from "../client/render/cost-text.ts";
import type { ArtefactHead } from "../model/artefact.ts";
import type { GoalId } from "../model/ids.ts";

/** More are named by `list_artefacts`. */
const maxResults = 50;

export async function goalReport(board: PersonBlackboard, goal: GoalId, reading?: GoalReading) {
  const [now, cost, inquiries] = await Promise.all([
    reading ?? readGoal(board, goal),
    readGoalCost(board, goal),
    readInquiries(board, goal),
  ]);
  const results = now.artefacts.filter(({ logical_id }) => String(logical_id) !== String(goal));
  return {
    goal_id: goal,
    state: now.status.state,
    summary: goalSummary(now),
    waiting_for: now.status.waitingFor,
    asks_people: inquiries.map(inquiryJson),
    failures: failuresOf(now).map(headJson),
    results: results.slice(-maxResults).map(headJson),
    results_left_out: Math.max(0, results.length - maxResults),
    cost: goalCostJson(cost),
  };
}

/** `overwritten`: it is not what was stored. */
export function headJson({ id, type, structural_type, version, metadata, overwritten, ...head }: Checked<ArtefactHead>) {
  const { summary = "", commit = null } = metadata;
  const by = head.produced_by_agent === "" ? head.produced_by_role : head.produced_by_agent;
  const { created_at, goal_id } = head;
  const what = { id, type, structural_type, version, by, summary, commit, created_at, goal_id };
  return { ...what, ...(overwritten && { overwritten_by_hand: true }) };
}
