// Why an artefact cannot be stored, on the memory blackboard. lua/prelude-artefact.lua says the
// same.
import type { Artefact } from "../../model/artefact.ts";
import { artefactFieldNames, fieldsOfArtefact } from "../records/artefact-fields.ts";
import { threadProblem } from "../records/hand-written.ts";
import type { State } from "./state.ts";

/** `reason`: a sentence. */
type Problem = { reason: string };

/**
 * `same` when exactly this is stored already; otherwise why it cannot be stored; undefined when it
 * can.
 */
export function artefactProblem(state: State, artefact: Artefact): "same" | Problem | undefined {
  return idProblem(state, artefact) ?? placeProblem(state, artefact);
}

/**
 * `same` where this artefact has its id; otherwise that another one has it; undefined where it is
 * free. `but`: a field that may differ.
 */
export function idProblem(
  state: State,
  artefact: Artefact,
  but?: keyof Artefact,
): "same" | Problem | undefined {
  const stored = state.artefacts.get(artefact.id);
  if (stored === undefined) return undefined;
  const fields = fieldsOfArtefact(artefact);
  const isSame = artefactFieldNames.every((name) => stored[name] === fields[name] || name === but);
  return isSame ? "same" : { reason: `The id ${artefact.id} belongs to another artefact.` };
}

/** Why it cannot come next in its thread; undefined when it can. */
export function placeProblem(state: State, artefact: Artefact): Problem | undefined {
  if (String(artefact.logical_id) === String(artefact.id)) return undefined;
  const end = state.endOfThread(artefact.logical_id);
  const reason =
    end === undefined ? `There is no thread ${artefact.logical_id}.` : threadProblem(artefact, end);
  return reason === undefined ? undefined : { reason };
}
