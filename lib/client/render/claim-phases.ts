// The progress of a claim: its phases, the agents in each, and the state of each agent's grant.
import { unaskedReviews } from "../../core/review-order.ts";
import { type Claim, type ClaimSnapshot, type Grant, wasMoved } from "../../model/claim.ts";
import type { AgentName } from "../../model/ids.ts";
import { type Phase, phaseOfStatus, phases, phaseTable } from "../../model/phase.ts";

/**
 * A grant's state; `rejected`: it is done, with a Review that does not approve; `retrying`: its
 * next attempt is due later; `coming`: the agent has bid, and has no grant yet.
 */
export type StepState = Grant["state"] | "rejected" | "retrying" | "coming";
export type Step = { agent: AgentName; state: StepState };
export type ClaimPhase = { phase: Phase; steps: Step[] };

/** The present stage of an open claim. */
export function stageOf({
  bidding,
  status,
}: Pick<Claim, "bidding" | "status">): "bidding" | Phase | undefined {
  return bidding === "open" ? "bidding" : phaseOfStatus(status);
}

/**
 * The phases with a grant or a bid, in their order. The first `exclusive` bid that is not granted
 * yet is shown, where there are several.
 */
export function phasesOf({ claim, grants }: ClaimSnapshot): ClaimPhase[] {
  return phases.flatMap((phase) => {
    const granted = grants.filter((grant) => grant.phase === phase && !wasMoved(grant));
    const bidders = claim.bids
      .filter((bid) => bid.word === phaseTable[phase].bid)
      .map((bid) => bid.agent);
    const coming = (phase === "exclusive" ? bidders.slice(0, 1) : bidders).map(
      (agent): Step => ({ agent, state: "coming" }),
    );
    const begun = granted.map((grant) => ({ agent: grant.agent, state: stateOf(grant) }));
    const unasked = unaskedReviews({ claim, grants }).map(
      ({ agent }): Step => ({ agent, state: "coming" }),
    );
    const steps =
      granted.length === 0 ? coming : phase === "review" ? [...begun, ...unasked] : begun;
    // Sorted by name, so that each agent keeps its place.
    return steps.length === 0
      ? []
      : [{ phase, steps: steps.toSorted((one, other) => (one.agent < other.agent ? -1 : 1)) }];
  });
}

function stateOf(grant: Grant): StepState {
  if (grant.state === "done" && grant.rejects) return "rejected";
  return grant.state === "failed" && grant.retry_at !== undefined ? "retrying" : grant.state;
}
