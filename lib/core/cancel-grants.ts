// Ends the grants of a claim that is terminated.
import type { Grant } from "../model/claim.ts";

/** The grants that have not ended yet, as cancelled ones. */
export function cancelGrants(grants: readonly Grant[], at: string, reason: string): Grant[] {
  return grants
    .filter(({ state }) => state === "queued" || state === "running" || state === "waiting")
    .map(({ agent, phase, attempt, queued_at }) => ({
      agent,
      phase,
      attempt,
      queued_at,
      state: "cancelled",
      ended_at: at,
      reason,
    }));
}
