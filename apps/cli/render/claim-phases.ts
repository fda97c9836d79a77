// Where a claim stands: its phases, who is in each of them, and how far they are.
import type { Claim, ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { type Phase, phaseOfStatus, phases, phaseTable } from "../../../lib/model/phase.ts";

/** A grant's state, `retrying` while its next attempt is waited for, `coming` for one that has only been bid for. */
export type StepState = Grant["state"] | "retrying" | "coming";
export type Step = { agent: AgentName; state: StepState };
export type ClaimPhase = { phase: Phase; steps: Step[] };

/** What an open claim is in the middle of. */
export function stageOf({ bidding, status }: Pick<Claim, "bidding" | "status">): "bidding" | Phase | undefined {
  return bidding === "open" ? "bidding" : phaseOfStatus(status);
}

/** The phases that somebody has a grant in or has bid for, in their order; the first who bid `exclusive` has it. */
export function phasesOf({ claim, grants }: ClaimSnapshot): ClaimPhase[] {
  return phases.flatMap((phase) => {
    const granted = grants.filter((grant) => grant.phase === phase);
    const bidders = claim.bids.filter((bid) => bid.word === phaseTable[phase].bid).map((bid) => bid.agent);
    const coming = (phase === "exclusive" ? bidders.slice(0, 1) : bidders).map((agent): Step => ({ agent, state: "coming" }));
    const steps = granted.length > 0 ? granted.map((grant) => ({ agent: grant.agent, state: stateOf(grant) })) : coming;
    // By name, so that each keeps its place.
    return steps.length === 0 ? [] : [{ phase, steps: steps.toSorted((one, other) => (one.agent < other.agent ? -1 : 1)) }];
  });
}

function stateOf(grant: Grant): StepState {
  return grant.state === "failed" && grant.retry_at !== undefined ? "retrying" : grant.state;
}
