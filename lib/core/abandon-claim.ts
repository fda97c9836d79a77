// The end of a claim whose artefact, or a review of it, cannot be read any more: it ends visibly rather than in limbo.
import { isEnded, questionOf } from "../model/claim.ts";
import { cancelGrants } from "./cancel-grants.ts";
import type { Decision, DecisionInput } from "./claim-decision.ts";

type Known = Pick<DecisionInput, "claim" | "grants" | "at" | "failureId">;

/** Undefined when the claim has ended already. The Failure has no source: what it is about is not there to be read. */
export function abandonClaim({ claim, grants, at, failureId }: Known, reason: string): Decision | undefined {
  if (isEnded(claim.status)) return undefined;
  const cancelled = cancelGrants(grants, at, reason);
  const questions = grants.map(questionOf).filter((question) => question !== undefined);
  return {
    claim: { ...claim, status: "terminated", bidding: "closed", termination_reason: reason },
    grants: grants.map((grant) => cancelled.find((one) => one.agent === grant.agent) ?? grant),
    writes: [
      ...cancelled.map((grant) => ({ kind: "end_grant" as const, grant })),
      ...questions.map((question) => ({ kind: "close_question" as const, question, reason })),
      { kind: "fail", failure: { id: failureId, type: "ArtefactUnreadable", reason, sources: [] } },
      { kind: "terminate", reason },
    ],
  };
}
