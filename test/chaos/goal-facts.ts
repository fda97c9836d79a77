// Collects what a goal's status depends on, from the records of a history.
import type { GoalFacts } from "../../lib/core/goal-status.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../lib/model/ids.ts";
import type { History } from "./history.ts";

export function factsOf(
  { artefacts, causes, claims, goals, openQuestions }: History,
  goal: GoalId,
): GoalFacts {
  return {
    goal,
    ended: goals.get(goal)?.ended,
    artefacts: [...artefacts.values()].filter(({ goal_id }) => goal_id === goal),
    causes: new Map(
      [...causes].map(([id, ofArtefact]) => [
        id as ArtefactId,
        new Map(Object.entries(ofArtefact) as [string, ClaimId][]),
      ]),
    ),
    openQuestions: new Set(openQuestions as ArtefactId[]),
    claims: [...claims.values()]
      .filter(({ goal_id }) => goal_id === goal)
      .map((claim) => ({ claim, grants: claim.grants })),
  };
}
