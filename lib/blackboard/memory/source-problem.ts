// Why an artefact cannot be made from its sources. source_problem in lua/prelude-artefact.lua says
// the same.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId } from "../../model/ids.ts";
import type { State } from "./state.ts";

/** Undefined when all of them are there, and of its goal. `source`: one that is not there. */
export function sourceProblem(
  state: State,
  { source_artefacts, goal_id }: Pick<Artefact, "source_artefacts" | "goal_id">,
): { reason: string; source?: ArtefactId } | undefined {
  for (const source of source_artefacts) {
    const stored = state.artefacts.get(source);
    if (stored === undefined)
      return { reason: `Its source ${source} is not on the blackboard.`, source };
    if (stored.goal_id !== undefined && stored.goal_id !== goal_id)
      return { reason: `Its source ${source} is of goal ${stored.goal_id}.` };
  }
  return undefined;
}
