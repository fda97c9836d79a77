// Ends a claim whose artefact, or a review of it, cannot be read any more: the claim is terminated
// with a Failure, rather than left open.

import { isEnded, questionOf } from "../model/claim.ts";
import { artefactUnreadableType } from "../model/own-types.ts";
import { cancelGrants } from "./cancel-grants.ts";
import type { Decision, DecisionInput } from "./claim-decision.ts";

type AbandonInput = Pick<DecisionInput, "claim" | "grants" | "at" | "failureId">;

/**
 * Undefined when the claim has ended already. The Failure has no source, because its source cannot
 * be read.
 */
export function abandonClaim(
  { claim, grants, at, failureId }: AbandonInput,
  reason: string,
): Decision | undefined {
  if (isEnded(claim.status)) return undefined;
  const cancelled = cancelGrants(grants, at, reason);
  const questions = grants.map(questionOf).filter((question) => question !== undefined);
  return {
    claim: { ...claim, status: "terminated", bidding: "closed", termination_reason: reason },
    grants: grants.map((grant) => cancelled.find((one) => one.agent === grant.agent) ?? grant),
    writes: [
      ...cancelled.map((grant) => ({ kind: "end_grant" as const, grant })),
      ...questions.map((question) => ({ kind: "close_question" as const, question, reason })),
      {
        kind: "fail",
        failure: { id: failureId, type: artefactUnreadableType, reason, sources: [] },
      },
      { kind: "terminate", reason },
    ],
  };
}
