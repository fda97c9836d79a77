// The phases of a claim in their order, and all that belongs to each
// (docs/internals/claims.md#phases-and-results).
import { z } from "zod";
import type { BidWord } from "./bid.ts";
import type { ClaimStatus } from "./claim-status.ts";

export const Phase = z.enum(["review", "parallel", "exclusive"]);
export type Phase = z.infer<typeof Phase>;

/** The phases have the order in which a claim goes through them. */
export const phases: readonly Phase[] = Phase.options;

/**
 * `bid`: the word that asks for work in the phase; a command reads it as `claim_type`. `status`: of
 * a claim that is in the phase. `grantedField`: the field of the claim's hash that shows who was
 * granted work in it.
 */
export const phaseTable = {
  review: { bid: "review", status: "pending_review", grantedField: "granted_review_agents" },
  parallel: { bid: "claim", status: "pending_parallel", grantedField: "granted_parallel_agents" },
  exclusive: {
    bid: "exclusive",
    status: "pending_exclusive",
    grantedField: "granted_exclusive_agent",
  },
} as const satisfies Record<Phase, { bid: BidWord; status: ClaimStatus; grantedField: string }>;

/** The phase that a claim of this status is in; undefined for a claim that has ended. */
export function phaseOfStatus(status: ClaimStatus): Phase | undefined {
  return phases.find((phase) => phaseTable[phase].status === status);
}

export function phasesAfter(phase: Phase): readonly Phase[] {
  return phases.slice(phases.indexOf(phase) + 1);
}

export function phasesBefore(phase: Phase): readonly Phase[] {
  return phases.slice(0, phases.indexOf(phase));
}
