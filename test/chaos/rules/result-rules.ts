// Rules of what came of each attempt: it is of the right kind, and stored when the log says so.

import type { SettEvent } from "../../../lib/model/event.ts";
import {
  agentRemovedType,
  agentSilentType,
  attemptLostType,
} from "../../../lib/model/own-types.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { isOneApproval, ofType } from "./claim-log.ts";

export const resultRules: Rules = [
  ["wrong", artefactsAreAsTheLogSays],
  ["wrong", resultsAreStoredWithTheirGrant],
  ["wrong", reviewsEndWithReviews],
  ["wrong", failedAttemptsAreExplained],
  ["duplicated", failedAttemptsHaveOneFailure],
  ["wrong", grantsWaitForQuestionsOrJudgements],
  ["wrong", clarificationsEndWithAnswers],
  ["wrong", sourcesAreOfTheSameGoal],
];

function* artefactsAreAsTheLogSays({ artefacts, claims, events }: History) {
  for (const { artefact_id, goal_id, claim_id = "", data } of ofType(events, "artefact_created")) {
    const stored = artefacts.get(String(artefact_id));
    if (stored === undefined) continue;
    const logged = [goal_id, claim_id, data?.role, data?.agent ?? ""].join(", ");
    const recorded = [
      stored.goal_id,
      stored.claim_id,
      stored.produced_by_role,
      stored.produced_by_agent,
    ].join(", ");
    if (logged !== recorded)
      yield `Artefact ${artefact_id} is of ${recorded}; by the log: ${logged}.`;
    const claim = claims.get(stored.claim_id);
    if (claim !== undefined && claim.goal_id !== stored.goal_id)
      yield `Artefact ${artefact_id} is of goal ${stored.goal_id}, and its claim ${claim.id} of goal ${claim.goal_id}.`;
  }
}

/** The events are written in one step, an agent's result first, and then the pieces of a list. */
function* resultsAreStoredWithTheirGrant({ events }: History) {
  const createdAt = new Map(
    events.flatMap(({ type, artefact_id, data }, index) =>
      type === "artefact_created"
        ? [[artefact_id, index + Number(data?.pieces ?? 0)] as const]
        : [],
    ),
  );
  for (const [index, event] of events.entries()) {
    const { type, actor, artefact_id, agent, claim_id } = event;
    const isResult =
      ["grant_done", "grant_failed", "grant_waiting"].includes(type) &&
      !actor?.startsWith("orchestrator:");
    const created = createdAt.get(artefact_id);
    if (isResult && created !== undefined && created !== index - 1)
      yield `${type} of ${agent} on claim ${claim_id} does not follow the creation of ${artefact_id} at once.`;
  }
}

function structuralTypes({ artefacts }: History): (event: SettEvent) => string {
  return ({ artefact_id }) => artefacts.get(String(artefact_id))?.structural_type ?? "missing";
}

function* reviewsEndWithReviews(history: History) {
  const structuralOf = structuralTypes(history);
  for (const event of ofType(history.events, "grant_done"))
    if (event.data?.phase === "review" && structuralOf(event) !== "Review")
      yield `${event.agent} ended its review on claim ${event.claim_id} with the ${structuralOf(event)} ${event.artefact_id}.`;
}

function* failedAttemptsAreExplained(history: History) {
  const structuralOf = structuralTypes(history);
  for (const event of ofType(history.events, "grant_failed"))
    if (structuralOf(event) !== "Failure" || !event.data?.reason)
      yield `An attempt of ${event.agent} on claim ${event.claim_id} failed, and the log does not explain it.`;
}

/** Also where the orchestrator ends the attempt. */
function* failedAttemptsHaveOneFailure({ artefacts, events }: History) {
  const ends = Map.groupBy(ofType(events, "grant_failed"), ({ artefact_id }) =>
    String(artefact_id),
  );
  for (const { id, type } of artefacts.values()) {
    if (type !== attemptLostType && type !== agentRemovedType && type !== agentSilentType) continue;
    const { length } = ends.get(id) ?? [];
    if (length !== 1) yield `Failure ${id} (${type}) is the end of ${length} attempts.`;
  }
}

function* grantsWaitForQuestionsOrJudgements(history: History) {
  const structuralOf = structuralTypes(history);
  for (const event of ofType(history.events, "grant_waiting")) {
    const isJudgement =
      event.artefact_id === history.claims.get(String(event.claim_id))?.artefact_id;
    const isApproval = isOneApproval(event) && structuralOf(event) === "Review";
    if (structuralOf(event) !== "Question" && !isJudgement && !isApproval)
      yield `${event.agent} waits on claim ${event.claim_id} for ${event.artefact_id}, which is no question.`;
  }
}

function* clarificationsEndWithAnswers(history: History) {
  const structuralOf = structuralTypes(history);
  for (const event of ofType(history.events, "grant_done")) {
    const isClarification = history.claims.get(String(event.claim_id))?.kind === "clarification";
    if (isClarification !== (structuralOf(event) === "Answer"))
      yield `${event.agent} ended claim ${event.claim_id} with the ${structuralOf(event)} ${event.artefact_id}.`;
  }
}

/** Agents see one goal at a time. */
function* sourcesAreOfTheSameGoal({ artefacts }: History) {
  for (const { id, goal_id, source_artefacts, produced_by_agent } of artefacts.values())
    for (const source of produced_by_agent === "" ? [] : source_artefacts) {
      const goal = artefacts.get(source)?.goal_id;
      if (goal !== undefined && goal !== goal_id)
        yield `Artefact ${id} of goal ${goal_id} came from ${source} of goal ${goal}.`;
    }
}
