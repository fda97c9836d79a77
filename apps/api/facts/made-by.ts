// Finds the grant that has made an artefact, and its inputs.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { type ClaimSnapshot, type Grant, questionOf } from "../../../lib/model/claim.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { grantView } from "./claim-view.ts";

/** The claim whose result the artefact is; undefined for what no agent has made. */
export async function madeBy(
  board: Pick<PersonBlackboard, "readClaims">,
  { claim_id }: ArtefactHead,
): Promise<ClaimSnapshot | undefined> {
  if (claim_id === "") return undefined;
  return (await board.readClaims([claim_id]))[0];
}

/** The agent's grant: a later attempt may have taken the place of the one that made it. */
export function grantThatMade(
  { grants }: ClaimSnapshot,
  { id, produced_by_agent }: ArtefactHead,
): Grant | undefined {
  const exact = grants.find(
    (grant) =>
      ("artefact_ids" in grant && grant.artefact_ids.includes(id)) ||
      questionOf(grant) === id ||
      grant.dialogue?.includes(id) === true,
  );
  const found = exact ?? grants.find(({ agent }) => agent === produced_by_agent);
  return found && grantView(found);
}

/** The agent was given these: the target first, then the context, as its grant has it on record. */
export function inputsOf(made: ClaimSnapshot, artefact: ArtefactHead): ArtefactId[] {
  const grant = grantThatMade(made, artefact);
  const context = grant !== undefined && "context_ids" in grant ? grant.context_ids : [];
  return [...new Set([made.claim.artefact_id, ...context])];
}
