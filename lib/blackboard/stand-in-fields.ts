// What the event of a grant tells of whom its agent stands in for.
import type { StandIn } from "../model/claim.ts";

export function standInFields(standIn: StandIn) {
  return { instead_of: standIn.for, because: standIn.because };
}
