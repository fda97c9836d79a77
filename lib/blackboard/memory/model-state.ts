// What the memory blackboard knows of calls of language models, with the sums that several
// operations change.
import { minus, noAmounts, plus } from "../../model/amounts.ts";
import type { Amounts } from "../../model/budget.ts";
import type { AgentName, ClaimId, GoalId } from "../../model/ids.ts";
import type { BudgetRefusal, CallRecord, OpenCall } from "../../model/model-call.ts";
import type { GatewayNotice } from "../port/models.ts";

type Sums = { spent: Amounts; reserved: Amounts };
/** `refusals`: by claim, agent and attempt. */
type GoalSums = Sums & {
  added: Amounts;
  addedOfAgents: Map<AgentName, Amounts>;
  causes: Set<string>;
  refusals: Map<string, BudgetRefusal>;
};
type CallOwner = Pick<OpenCall, "goal_id" | "claim_id" | "agent">;

export class ModelState {
  readonly goals = new Map<GoalId, GoalSums>();
  /** Of one claim: agent → its bid and all its attempts. */
  readonly grants = new Map<ClaimId, Map<AgentName, Sums>>();
  readonly calls = new Map<GoalId, Map<string, CallRecord | OpenCall>>();
  /** Calls under way → when their reservations lapse. */
  readonly open = new Map<string, { goal: GoalId; lapsesAt: number }>();
  readonly bidTokens = new Map<ClaimId, Map<AgentName, string>>();
  gateway: GatewayNotice | undefined;

  sumsOfGoal(goal: GoalId): GoalSums {
    const known = this.goals.get(goal);
    if (known !== undefined) return known;
    const sums: GoalSums = {
      ...{ spent: noAmounts, reserved: noAmounts, added: noAmounts },
      ...{ addedOfAgents: new Map(), causes: new Set(), refusals: new Map() },
    };
    this.goals.set(goal, sums);
    return sums;
  }

  sumsOfGrant(claim: ClaimId, agent: AgentName): Sums {
    const ofClaim = this.grants.get(claim) ?? new Map<AgentName, Sums>();
    this.grants.set(claim, ofClaim);
    const sums = ofClaim.get(agent) ?? { spent: noAmounts, reserved: noAmounts };
    ofClaim.set(agent, sums);
    return sums;
  }

  callsOf(goal: GoalId): Map<string, CallRecord | OpenCall> {
    const known = this.calls.get(goal) ?? new Map<string, CallRecord | OpenCall>();
    this.calls.set(goal, known);
    return known;
  }

  reserve(call: OpenCall, lapsesAt: number): void {
    this.#change(call, (sums) => {
      sums.reserved = plus(sums.reserved, call.reserved);
    });
    this.callsOf(call.goal_id).set(call.id, structuredClone(call));
    this.open.set(call.id, { goal: call.goal_id, lapsesAt });
  }

  renew(call: OpenCall, lapsesAt: number): void {
    this.callsOf(call.goal_id).set(call.id, structuredClone(call));
    this.open.set(call.id, { goal: call.goal_id, lapsesAt });
  }

  /** What a call that was given up as lost has been charged. */
  takeBack(lost: CallRecord): void {
    this.#change(lost, (sums) => {
      sums.spent = minus(sums.spent, lost.cost);
    });
  }

  /** `before`: what is stored of the call, where it has a reservation. */
  end(record: CallRecord, before: OpenCall | undefined): void {
    this.#change(record, (sums) => {
      if (before !== undefined) sums.reserved = minus(sums.reserved, before.reserved);
      sums.spent = plus(sums.spent, record.cost);
    });
    this.callsOf(record.goal_id).set(record.id, structuredClone(record));
    this.open.delete(record.id);
  }

  #change({ goal_id, claim_id, agent }: CallOwner, change: (sums: Sums) => void): void {
    change(this.sumsOfGoal(goal_id));
    change(this.sumsOfGrant(claim_id, agent));
  }

  removeClaim(claim: ClaimId): void {
    this.grants.delete(claim);
    this.bidTokens.delete(claim);
  }

  removeGoal(goal: GoalId): void {
    for (const id of this.calls.get(goal)?.keys() ?? []) this.open.delete(id);
    this.calls.delete(goal);
    this.goals.delete(goal);
  }
}
