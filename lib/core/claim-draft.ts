// A decision about a claim while it is made: every change is applied to the claim and added to the
// writes together.
import type { RegisteredAgent } from "../model/agent.ts";
import type { Bid, BidWord, ReviewAfter } from "../model/bid.ts";
import {
  type Claim,
  type DoneGrant,
  type Grant,
  missingBidders,
  questionOf,
  triesOf,
  type WaitingGrant,
} from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import { ofSame } from "../model/of-same.ts";
import { type Phase, phaseTable } from "../model/phase.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import type { ClaimWrite, DecisionInput } from "./claim-decision.ts";
import type { Rivals } from "./presence.ts";
import { quorumFor } from "./quorum.ts";
import { type CancelledGrant, type FailedGrant, type QueuedGrant, withRetryAt } from "./retry.ts";

/** A grant for a person waits from the beginning: no process is started for it. */
export function newGrant(base: Omit<QueuedGrant, "state">, isPerson: boolean): Grant {
  return isPerson ? personGrant(base) : { ...base, state: "queued" };
}

function personGrant(base: Omit<QueuedGrant, "state">): WaitingGrant {
  return {
    ...base,
    state: "waiting",
    started_at: base.queued_at,
    context_ids: [],
    waits_for: { kind: "approval" },
  };
}

const peopleAmong = ofSame(
  (agents: readonly RegisteredAgent[]) =>
    new Map(agents.flatMap((agent) => (agent.human ? [[agent.name, agent] as const] : []))),
);

export class Draft {
  claim: Claim;
  grants: Grant[];
  readonly writes: ClaimWrite[] = [];
  readonly input: DecisionInput;

  constructor(input: DecisionInput) {
    this.input = input;
    this.claim = input.claim;
    this.grants = [...input.grants];
  }

  /** Bids in the place of an agent whose bid is missing. */
  bid(agent: AgentName, word: BidWord): void {
    this.claim = { ...this.claim, bids: [...this.claim.bids, { agent, word }] };
    this.writes.push({ kind: "bid", agent, word });
  }

  /** These agents have said this in advance: their own words. */
  standingBids(bids: Bid[]): void {
    if (bids.length === 0) return;
    this.claim = {
      ...this.claim,
      bids: this.claim.bids.length === 0 ? bids : [...this.claim.bids, ...bids],
    };
    this.writes.push({ kind: "standing_bids", bids, missing: missingBidders(this.claim).length });
  }

  closeBidding(reviewsAfter: readonly ReviewAfter[]): void {
    const after = reviewsAfter.length === 0 ? {} : { reviews_after: [...reviewsAfter] };
    this.claim = { ...this.claim, bidding: "closed", ...after };
    this.writes.push({ kind: "close_bidding", ...after });
  }

  /** Grants work in a phase, also where the claim is in it already. */
  enter(phase: Phase, agents: readonly AgentName[], rivals?: Rivals): void {
    const { at, target } = this.input;
    const people = peopleAmong(this.input.agents);
    const grants = agents.map((agent) => {
      const person = people.get(agent);
      const quorum = person && quorumFor(person, target.involved);
      const base = { agent, phase, attempt: 1, queued_at: at, ...withoutUndefined({ quorum }) };
      return newGrant(base, person !== undefined);
    });
    this.claim = { ...this.claim, status: phaseTable[phase].status };
    this.grants.push(...grants);
    this.writes.push({ kind: "enter", phase, grants, ...withoutUndefined({ rivals }) });
  }

  /** Asks the people of the grant once more: what they have approved is not enough. */
  askAgain({ agent, phase, attempt, quorum }: DoneGrant): void {
    const { approvals: _, ...rule } = quorum ?? { needed: 1 };
    const grant = personGrant({
      ...{ agent, phase, attempt: attempt + 1, queued_at: this.input.at, quorum: rule },
    });
    this.replace(grant);
    this.writes.push({ kind: "resume", grant });
  }

  /**
   * Moves it to an agent that has no other grant of this claim, but one that was moved from it
   * before.
   */
  moveGrant(
    queued: QueuedGrant,
    agent: AgentName,
    { rivals, reason }: { rivals: Rivals; reason: string },
  ): void {
    const { at } = this.input;
    const { base_commit: _, ...base } = queued;
    const from: CancelledGrant = {
      ...base,
      state: "cancelled",
      ended_at: at,
      reason,
      moved_to: agent,
    };
    const before = this.grants.find((one) => one.agent === agent);
    const { attempt = 0, ...tries } = before ?? {};
    const grant: QueuedGrant = {
      ...{ agent, phase: queued.phase, attempt: attempt + 1, ...triesOf(tries) },
      ...{ queued_at: at, state: "queued" },
    };
    this.replace(from);
    if (before === undefined) this.grants.push(grant);
    else this.replace(grant);
    this.writes.push({ kind: "move", from, grant, rivals });
  }

  replace(grant: Grant): void {
    this.grants = this.grants.map((one) => (one.agent === grant.agent ? grant : one));
  }

  endGrant(grant: Grant): void {
    const before = this.grants.find((one) => one.agent === grant.agent);
    const question = before && questionOf(before);
    this.replace(grant);
    this.writes.push({ kind: "end_grant", grant });
    const reason = "reason" in grant ? grant.reason : "";
    if (question !== undefined) this.writes.push({ kind: "close_question", question, reason });
  }

  /** Ends the grant with a Failure that the orchestrator posts. */
  fail(grant: Grant, type: string, reason: string): void {
    const { agent, phase, attempt, dialogue, queued_at, quorum } = grant;
    const { at, failureId, target } = this.input;
    this.endGrant({
      ...{ agent, phase, attempt, queued_at },
      ...triesOf(grant),
      ...withoutUndefined({ dialogue, quorum }),
      ...("started_at" in grant
        ? {
            started_at: grant.started_at,
            context_ids: grant.context_ids,
            ...withoutUndefined({ base_commit: grant.base_commit }),
          }
        : { started_at: queued_at, context_ids: [] }),
      state: "failed",
      ended_at: at,
      artefact_ids: [failureId],
      reason,
      failure_type: type,
    });
    this.writes.push({
      kind: "fail",
      failure: { id: failureId, type, reason, sources: [target.id], agent },
    });
  }

  retryLater(failed: FailedGrant, afterMs: number): void {
    const grant = withRetryAt(failed, this.input.at, afterMs);
    this.replace(grant);
    this.writes.push({ kind: "retry_later", grant, afterMs });
  }

  complete(): void {
    this.claim = { ...this.claim, status: "complete" };
    this.writes.push({ kind: "complete" });
  }
}
