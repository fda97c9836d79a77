// Rules that people and programs can rely on after any schedule, whatever has gone wrong in it.
import { goalStatus } from "../../lib/core/goal-status.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import { attemptDisruptedType, attemptLostType } from "../../lib/model/own-types.ts";
import { factsOf } from "../chaos/goal-facts.ts";
import type { History } from "../chaos/history.ts";
import { ofType } from "../chaos/rules/claim-log.ts";
import type { Judged, ScheduleRules } from "./judge.ts";

export const promiseRules: ScheduleRules = [
  ["wrong", noProgramMakesMistakes],
  ["lost", noMessageIsLostForAFunctionOutOfOrder],
  ["lost", everyPostedGoalIsThere],
  ["lost", everyGoalComesToAnEnd],
  ["lost", noWorkIsLostOfACubThatLives],
  ["lost", cancelledGoalsAreCancelled],
  ["lost", peopleAnswerWhatTheyWereAsked],
  ["lost", peopleLearnWhichAnswerCounts],
];

/** Such faults change who bids, so that a goal may end without its work. */
const changesBids = /^up |poison|break tool|forge mail|post a version/;

function* noProgramMakesMistakes(_history: History, { mistakes }: Judged) {
  yield* mistakes;
}

/** None is out of order for longer than the orchestrator tries a message. */
function* noMessageIsLostForAFunctionOutOfOrder({ events }: History) {
  for (const { id, data } of ofType(events, "mail_refused"))
    if (String(data?.reason).includes("out of order"))
      yield `Event ${id} (mail_refused): ${data?.reason}`;
}

function* everyPostedGoalIsThere({ goals }: History, { goals: posted, losses }: Judged) {
  if (losses > 0) return;
  for (const goal of posted) if (!goals.has(goal)) yield `Goal ${goal} was posted, and is nowhere.`;
}

function* everyGoalComesToAnEnd(history: History, { faults }: Judged) {
  const ends = faults.some(({ kind }) => changesBids.test(kind)) ? ["settled", "stalled"] : [];
  for (const [goal, { artefacts }] of history.goals) {
    const { state } = goalStatus(factsOf(history, goal as GoalId));
    const isEnd = ["achieved", "failed", "cancelled", ...ends].includes(state);
    if (!isEnd && artefacts.length > 0) yield `Goal ${goal} is ${state} at the end.`;
  }
}

/**
 * Whatever Redis loses, and whichever program is away: the cub has its result, and says it again.
 * But a hand may begin work that no cub does, and where the function that stores a result fails,
 * the renewals behind it wait.
 */
const losesWork = /^(?:forge mail|poison|refuse a function)$/;

/** A cub stops its tool at such a word of a person, which Redis may lose afterwards. */
const endsClaims = /^(?:cancel|post a version)$/;

function* noWorkIsLostOfACubThatLives({ artefacts }: History, { faults, harmed, losses }: Judged) {
  if (faults.some(({ kind }) => losesWork.test(kind))) return;
  if (losses > 0 && faults.some(({ kind }) => endsClaims.test(kind))) return;
  for (const { id, type, payload } of artefacts.values()) {
    const isLost = type === attemptLostType || type === attemptDisruptedType;
    const agent = isLost ? JSON.parse(payload).agent : undefined;
    if (agent !== undefined && !harmed.has(agent))
      yield `${agent} lost its work (${id}), and nothing has ended its cub.`;
  }
}

function* cancelledGoalsAreCancelled({ goals }: History, { cancelled, losses }: Judged) {
  if (losses > 0) return;
  for (const goal of cancelled)
    if (goals.get(goal)?.ended === undefined)
      yield `Goal ${goal} was to be cancelled, and has not ended.`;
}

/** They only answer what is listed as open, and the log says when that began. */
function* peopleAnswerWhatTheyWereAsked({ events }: History, { accepted, losses }: Judged) {
  const listed = new Set(
    ofType(events, "question_asked").map(({ artefact_id }) => String(artefact_id)),
  );
  for (const { question } of losses === 0 ? accepted : [])
    if (!listed.has(question))
      yield `A person answered ${question}, and the log does not say that people were asked.`;
}

/** Unless a Redis that crashed has lost its last writes. */
function* peopleLearnWhichAnswerCounts(
  { answers, artefacts }: History,
  { accepted, losses }: Judged,
) {
  for (const { question, answer } of accepted)
    if ((losses === 0 || artefacts.has(answer)) && answers.get(question) !== answer)
      yield `A person's answer ${answer} to ${question} was accepted, but ${answers.get(question)} counts.`;
}
