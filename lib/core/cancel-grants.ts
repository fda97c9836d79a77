// Ends the grants of a claim that is terminated.
import { type Grant, triesOf } from "../model/claim.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

/**
 * The grants that have not ended yet, as cancelled ones. Questions of an agent and their answers
 * stay, and so does the rule of several approvals: a retry goes on with them.
 */
export function cancelGrants(grants: readonly Grant[], at: string, reason: string): Grant[] {
  return grants
    .filter(({ state }) => state === "queued" || state === "running" || state === "waiting")
    .map(({ agent, phase, attempt, dialogue, queued_at, quorum, ...tries }) => ({
      agent,
      phase,
      attempt,
      ...triesOf(tries),
      ...withoutUndefined({ dialogue, quorum }),
      queued_at,
      state: "cancelled",
      ended_at: at,
      reason,
    }));
}
