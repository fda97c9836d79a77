// Why an artefact cannot be made from its sources. source_problem in lua/prelude-artefact.lua says the same.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId } from "../../model/ids.ts";
import type { State } from "./state.ts";

/** Undefined when all of them are there. */
export function sourceProblem(
  state: State,
  { source_artefacts }: Pick<Artefact, "source_artefacts">,
): { reason: string; source: ArtefactId } | undefined {
  const source = source_artefacts.find((id) => !state.artefacts.has(id));
  return source && { reason: `Its source ${source} is not on the blackboard.`, source };
}
