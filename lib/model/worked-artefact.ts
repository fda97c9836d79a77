// Artefacts of a list of pieces, with the claims about them.
import type { StructuralType } from "./artefact.ts";
import type { ClaimStatus } from "./claim-status.ts";
import type { ArtefactId } from "./ids.ts";

/** `claims`: those about the artefact, in the order in which they were opened. */
export type Worked = {
  id: ArtefactId;
  structural_type: StructuralType;
  claims: readonly { id: string; cause: string; status: ClaimStatus }[];
};

/**
 * An artefact of a list: a piece, or one that work on a piece has led to. `about`: what the claim
 * of which it is a result is about; undefined where it is no result.
 */
export type WorkedArtefact = Worked & {
  logical_id: string;
  version: number;
  produced_by_agent: string;
  claim_id: string;
  about: ArtefactId | undefined;
};
