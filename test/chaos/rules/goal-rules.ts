// Goals: their status, their count of artefacts and their end.
import { goalStatus } from "../../../lib/core/goal-status.ts";
import { isRetry } from "../../../lib/core/retry-claim.ts";
import { type Claim, isEnded } from "../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { factsOf } from "../goal-facts.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { claimLogsOf, ofType, triesOf } from "./claim-log.ts";
import { statesByLog } from "./goal-by-log.ts";

export const goalRules: Rules = [
  ["wrong", goalsHaveTheStatusThatTheLogSays],
  ["wrong", failuresOfCompletedRetriesDoNotCount],
  ["wrong", goalsBeginWithThemselves],
  ["wrong", artefactsOfAGoalAreCounted],
  ["duplicated", goalsEndOnceAsTheyAreMarked],
  ["wrong", endedGoalsGetNothingNew],
  ["in limbo", endedGoalsHaveNoOpenClaims],
];

function* goalsHaveTheStatusThatTheLogSays(history: History) {
  for (const [goal, logged] of statesByLog(history)) {
    // A rule of its own is about artefacts of no goal on record.
    if (!history.goals.has(goal)) continue;
    const { state } = goalStatus(factsOf(history, goal as GoalId));
    if (state !== logged) yield `Goal ${goal} is ${state}; by the log: ${logged}.`;
  }
}

function* failuresOfCompletedRetriesDoNotCount(history: History) {
  const { artefacts } = history;
  for (const claimLog of claimLogsOf(history)) {
    const { id, cause, status, goal_id } = claimLog.claim;
    if (!isRetry(cause) || status !== "complete") continue;
    const tries = new Set<string>(triesOf(claimLog).map(({ claim }) => claim.id));
    for (const failure of goalStatus(factsOf(history, goal_id)).failures)
      if (tries.has(artefacts.get(failure)?.claim_id ?? ""))
        yield `Failure ${failure} counts, although claim ${id} has made it good.`;
  }
}

function* goalsBeginWithThemselves({ events }: History) {
  const created = ofType(events, "artefact_created").filter(({ goal_id }) => goal_id !== undefined);
  for (const [goal, [first]] of Map.groupBy(created, (event) => String(event.goal_id)))
    if (String(first?.artefact_id) !== goal)
      yield `Goal ${goal} begins with artefact ${first?.artefact_id}.`;
}

function* artefactsOfAGoalAreCounted({ events }: History) {
  for (const [goal, created] of Map.groupBy(ofType(events, "artefact_created"), (event) =>
    String(event.goal_id),
  ))
    for (const [index, { artefact_id, data }] of created.entries())
      if (data?.goal_artefacts !== index + 1)
        yield `Artefact ${artefact_id} is number ${index + 1} of goal ${goal}; by the log: ${data?.goal_artefacts}.`;
}

function* goalsEndOnceAsTheyAreMarked({ events, goals }: History) {
  for (const [goal, ends] of Map.groupBy(ofType(events, "goal_ended"), (event) =>
    String(event.goal_id),
  )) {
    if (ends.length > 1) yield `Goal ${goal} ended ${ends.length} times.`;
    const marked = goals.get(goal)?.ended;
    if (marked !== undefined && marked !== ends[0]?.data?.ending)
      yield `Goal ${goal} is marked as ${marked}; by the log: ${ends[0]?.data?.ending}.`;
  }
}

/**
 * A decision that was under way may still end a grant, with a Failure, or queue one that is
 * accepted no more.
 */
const beginnings: readonly EventType[] = [
  "claim_opened",
  "grant_started",
  "grant_done",
  "question_asked",
];

function* endedGoalsGetNothingNew({ events }: History) {
  const ended = new Set<string>();
  const isByAgent = ({ type, actor }: SettEvent) =>
    ["artefact_created", "grant_failed", "grant_waiting"].includes(type) &&
    !actor?.startsWith("orchestrator:");
  for (const event of events) {
    const goal = String(event.goal_id);
    if (event.type === "goal_ended") ended.add(goal);
    else if (ended.has(goal) && (beginnings.includes(event.type) || isByAgent(event)))
      yield `Event ${event.id} (${event.type}) came after goal ${goal} had ended.`;
  }
}

function* endedGoalsHaveNoOpenClaims({ claims, goals }: History) {
  const isLeft = ({ status, goal_id }: Claim) =>
    !isEnded(status) && goals.get(goal_id)?.ended !== undefined;
  for (const claim of claims.values())
    if (isLeft(claim))
      yield `Claim ${claim.id} is ${claim.status}, and goal ${claim.goal_id} has ended.`;
}
