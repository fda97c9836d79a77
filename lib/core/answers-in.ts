// Finds the artefacts that a grant was answered with.
import type { Grant } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";

/**
 * The artefacts that a grant was answered with, the oldest first: several people may have approved,
 * also where others have not yet, or were asked no longer.
 */
export function answersIn(grant: Grant): ArtefactId[] {
  const [last, ...earlier] = "artefact_ids" in grant ? grant.artefact_ids : [];
  if (last !== undefined) return [...earlier, last];
  return (grant.quorum?.approvals ?? []).map(({ review }) => review);
}
