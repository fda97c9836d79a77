// Why an artefact that comes from no grant is not stored. post_problem in lua/prelude-artefact.lua
// says the same.
import type { Artefact } from "../../model/artefact.ts";
import type { Refused } from "../port/refused.ts";
import { artefactProblem } from "./artefact-problem.ts";
import { sourceProblem } from "./source-problem.ts";
import type { State } from "./state.ts";

/** Undefined when it can be stored. */
export function postProblem(
  state: State,
  artefact: Artefact,
): { outcome: "exists" } | Refused | undefined {
  const problem = artefactProblem(state, artefact);
  if (problem === "same") return { outcome: "exists" };
  if (problem !== undefined) return { outcome: "refused", reason: problem.reason };
  // An artefact that begins a goal is the first of it, so that the goal cannot have ended.
  if (String(artefact.id) !== String(artefact.goal_id) && state.isGoalEnded(artefact.goal_id))
    return { outcome: "refused", reason: `Goal ${artefact.goal_id} was ended.` };
  const lost = sourceProblem(state, artefact);
  return lost && { outcome: "refused", reason: lost.reason };
}
