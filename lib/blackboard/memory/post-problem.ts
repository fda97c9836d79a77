// Why an artefact that comes from no grant is not stored. post_problem in lua/prelude-artefact.lua says the same.
import type { Artefact } from "../../model/artefact.ts";
import type { Refused } from "../refused.ts";
import type { State } from "./state.ts";

/** Undefined when it can be stored. */
export function postProblem(state: State, artefact: Artefact): { outcome: "exists" } | Refused | undefined {
  const problem = state.artefactProblem(artefact);
  if (problem === "same") return { outcome: "exists" };
  if (problem !== undefined) return { outcome: "refused", reason: problem.reason };
  if (!state.isGoalEnded(artefact.goal_id)) return undefined;
  return { outcome: "refused", reason: `Goal ${artefact.goal_id} was ended.` };
}
