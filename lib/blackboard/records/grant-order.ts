import type { Grant } from "../../model/claim.ts";

/** In the order in which they were queued; those of one moment by name. */
export function inOrder(grants: readonly Grant[]): Grant[] {
  const placeOf = (grant: Grant) => `${grant.queued_at} ${grant.agent}`;
  return [...grants].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
}
