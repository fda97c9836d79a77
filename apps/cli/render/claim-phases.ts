// Where a claim stands: its phases, who is in each of them, and how far they are.
import type { BidWord } from "../../../lib/model/bid.ts";
import type { Claim, ClaimSnapshot, Grant, Phase } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

/** A grant's state, `retrying` while its next attempt is waited for, `coming` for one that has only been bid for. */
export type StepState = Grant["state"] | "retrying" | "coming";
export type Step = { agent: AgentName; state: StepState };
export type ClaimPhase = { phase: Phase; steps: Step[] };

const phases: readonly { phase: Phase; word: BidWord; status: Claim["status"] }[] = [
  { phase: "review", word: "review", status: "pending_review" },
  { phase: "parallel", word: "claim", status: "pending_parallel" },
  { phase: "exclusive", word: "exclusive", status: "pending_exclusive" },
];

/** What an open claim is in the middle of. */
export function stageOf({ bidding, status }: Pick<Claim, "bidding" | "status">): "bidding" | Phase | undefined {
  return bidding === "open" ? "bidding" : phases.find((one) => one.status === status)?.phase;
}

/** The phases that somebody has a grant in or has bid for, in their order; the first who bid `exclusive` has it. */
export function phasesOf({ claim, grants }: ClaimSnapshot): ClaimPhase[] {
  return phases.flatMap(({ phase, word }) => {
    const granted = grants.filter((grant) => grant.phase === phase);
    const bidders = claim.bids.filter((bid) => bid.word === word).map((bid) => bid.agent);
    const coming = (phase === "exclusive" ? bidders.slice(0, 1) : bidders).map((agent): Step => ({ agent, state: "coming" }));
    const steps = granted.length > 0 ? granted.map((grant) => ({ agent: grant.agent, state: stateOf(grant) })) : coming;
    // By name, so that each keeps its place.
    return steps.length === 0 ? [] : [{ phase, steps: steps.toSorted((one, other) => (one.agent < other.agent ? -1 : 1)) }];
  });
}

function stateOf(grant: Grant): StepState {
  return grant.state === "failed" && grant.retry_at !== undefined ? "retrying" : grant.state;
}
