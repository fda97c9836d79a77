// Calls of language models on the memory blackboard: their tokens, reservations and records.
import { amountKinds, noAmounts, plus } from "../../model/amounts.ts";
import type { Amounts } from "../../model/budget.ts";
import { isEnded } from "../../model/claim.ts";
import type { AgentName, ClaimId, GoalId } from "../../model/ids.ts";
import type { BudgetRefusal, CallRecord, ModelToken, OpenCall } from "../../model/model-call.ts";
import type { Caller, ModelBoard, TokenRefused } from "../port/models.ts";
import { budgetEvent } from "../records/budget-event.ts";
import { callEvent } from "../records/call-event.ts";
import { byStart } from "../records/call-order.ts";
import { exhaustedOf } from "../records/exhausted.ts";
import { lostCall } from "../records/lost-call.ts";
import type { EnsureOn } from "./contact.ts";
import { aboutOf, grantProblem } from "./grants.ts";
import type { State } from "./state.ts";

export function modelsOf(state: State, ensureOn: EnsureOn): ModelBoard {
  const { models } = state;
  const end = (record: CallRecord, before: OpenCall | undefined) => {
    models.end(record, before);
    state.log(callEvent(record), "gateway");
  };
  return {
    async allowBidCalls({ claim, agent, digest, readOn }) {
      ensureOn(readOn);
      const reason = bidProblem(state, claim, agent);
      if (reason !== undefined) return { outcome: "refused", reason };
      models.bidTokens.set(
        claim,
        (models.bidTokens.get(claim) ?? new Map<AgentName, string>()).set(agent, digest),
      );
      return { outcome: "allowed" };
    },

    async findCaller(token) {
      return findCaller(state, token);
    },

    async reserveCall({ token, call, limits, leaseMs }) {
      const found = findCaller(state, token);
      if (found.outcome === "refused") return found;
      const { caller } = found;
      const known = models.callsOf(caller.goal_id).get(call.id);
      if (known !== undefined && isEndedCall(known))
        return { outcome: "refused", reason: `Call ${call.id} has ended.`, isEnded: true };
      if (known !== undefined) return { outcome: "reserved", call: structuredClone(known) };
      const ofGoal = models.sumsOfGoal(caller.goal_id);
      const ofGrant = models.sumsOfGrant(caller.claim_id, caller.agent);
      const exhausted =
        exhaustedOf("goal", limits.goal, ofGoal.added, ofGoal, call.reserved) ??
        exhaustedOf(
          "grant",
          limits.grant,
          ofGoal.addedOfAgents.get(caller.agent) ?? noAmounts,
          ofGrant,
          call.reserved,
        );
      const attempt = `${caller.claim_id}:${caller.agent}:${caller.attempt}`;
      if (exhausted !== undefined) {
        const { claim_id, agent } = caller;
        ofGoal.refusals.set(attempt, {
          id: call.id,
          claim_id,
          agent,
          attempt: caller.attempt,
          ...exhausted,
        });
        return { outcome: "exhausted", ...exhausted };
      }
      if (ofGoal.refusals.get(attempt)?.id === call.id) ofGoal.refusals.delete(attempt);
      const open = { ...call, ...caller };
      models.reserve(open, state.now() + leaseMs);
      return { outcome: "reserved", call: open };
    },

    async renewCalls({ calls, leaseMs }) {
      const ended = calls.filter((call) => {
        if (isGone(state, call.goal_id)) return true;
        const known = models.callsOf(call.goal_id).get(call.id);
        const hasEnded = known !== undefined && isEndedCall(known);
        if (hasEnded && known.outcome !== "lost") return false;
        if (known !== undefined && !hasEnded) models.renew(call, state.now() + leaseMs);
        else {
          if (hasEnded) models.takeBack(known);
          models.reserve(call, state.now() + leaseMs);
        }
        return callerProblem(state, call) !== undefined;
      });
      return { ended: ended.map(({ id }) => id) };
    },

    async endCall(record) {
      if (isGone(state, record.goal_id)) {
        models.open.delete(record.id);
        return { outcome: "known" };
      }
      const known = models.callsOf(record.goal_id).get(record.id);
      const hasEnded = known !== undefined && isEndedCall(known);
      if (hasEnded && known.outcome !== "lost") return { outcome: "known" };
      if (hasEnded) models.takeBack(known);
      end(record, hasEnded ? undefined : known);
      return { outcome: "ended" };
    },

    async giveBackCalls({ all }) {
      const lapsed = [...models.open]
        .filter(([, { lapsesAt }]) => all || lapsesAt <= state.now())
        .sort(byLapse);
      let count = 0;
      for (const [id, { goal }] of lapsed) {
        const call = models.callsOf(goal).get(id);
        models.open.delete(id);
        if (call === undefined || isEndedCall(call) || isGone(state, goal)) continue;
        end(lostCall(call, state.now(), { wasMade: all }), call);
        count += 1;
      }
      return count;
    },

    async raiseBudget({ goal, agent, add, actor, cause }) {
      const sums = models.sumsOfGoal(goal);
      if (sums.causes.has(cause)) return { outcome: "already" };
      if (isGone(state, goal)) return { outcome: "refused", reason: `There is no goal ${goal}.` };
      if (state.isGoalEnded(goal)) return { outcome: "refused", reason: `Goal ${goal} was ended.` };
      sums.causes.add(cause);
      if (agent === undefined) sums.added = plus(sums.added, add);
      else sums.addedOfAgents.set(agent, plus(sums.addedOfAgents.get(agent) ?? noAmounts, add));
      state.log(budgetEvent({ goal, agent, add, cause }), actor);
      return { outcome: "raised" };
    },

    async readSpending(goal) {
      const { spent, reserved, added, addedOfAgents, refusals } = models.sumsOfGoal(goal);
      const isAdded = (amounts: Amounts) => amountKinds.some((kind) => amounts[kind] > 0);
      const ofAgents = new Map([...addedOfAgents].filter(([, amounts]) => isAdded(amounts)));
      return {
        spent,
        reserved,
        added,
        addedOfAgents: ofAgents,
        refusals: structuredClone([...refusals.values()].sort(byRefusal)),
      };
    },

    async readCalls(goal) {
      const calls = structuredClone([...models.callsOf(goal).values()]).sort(byStart);
      return {
        ended: calls.filter((call) => isEndedCall(call)),
        open: calls.filter((call): call is OpenCall => !isEndedCall(call)),
      };
    },

    async announceGateway(notice) {
      models.gateway = structuredClone(notice);
    },

    async readGateway() {
      return structuredClone(models.gateway);
    },
  };
}

function byRefusal(one: BudgetRefusal, other: BudgetRefusal): number {
  return one.id < other.id ? -1 : 1;
}

type OpenEntry = [id: string, open: { goal: GoalId; lapsesAt: number }];

/** Earliest first; those of one moment by goal and id. */
function byLapse([id, one]: OpenEntry, [otherId, other]: OpenEntry): number {
  return (
    one.lapsesAt - other.lapsesAt || (`${one.goal}:${id}` < `${other.goal}:${otherId}` ? -1 : 1)
  );
}

function findCaller(
  state: State,
  token: ModelToken,
): { outcome: "found"; caller: Caller } | TokenRefused {
  const { kind, claim, agent, attempt, digest } = token;
  const record = state.claims.get(claim);
  const problem = callerProblem(state, { kind, claim_id: claim, agent, attempt });
  const grant = record?.grants.get(agent);
  if (record === undefined || problem !== undefined) {
    const isKnown =
      kind === "grant" ? grant !== undefined : record?.claim.electorate.includes(agent) === true;
    return { outcome: "refused", reason: problem ?? "", isEnded: isKnown };
  }
  const stored =
    kind === "bid"
      ? state.models.bidTokens.get(claim)?.get(agent)
      : grant?.state === "running"
        ? grant.model_token
        : undefined;
  if (stored !== digest)
    return {
      outcome: "refused",
      reason: `This is not the token of agent ${agent} on claim ${claim}.`,
      isEnded: false,
    };
  return { outcome: "found", caller: { ...aboutOf(record), agent, kind, attempt } };
}

/** Why the grant does not run, or the bid is not missing, any more; undefined when it is so. */
function callerProblem(
  state: State,
  { kind, claim_id, agent, attempt }: Pick<OpenCall, "kind" | "claim_id" | "agent" | "attempt">,
): string | undefined {
  if (kind === "bid") return bidProblem(state, claim_id, agent);
  return grantProblem(state, state.claims.get(claim_id), {
    claim: claim_id,
    agent,
    attempt,
    state: "running",
  });
}

/** Why no bid of the agent is missing. */
function bidProblem(state: State, id: ClaimId, agent: AgentName): string | undefined {
  const claim = state.claims.get(id)?.claim;
  if (claim === undefined) return `There is no claim ${id}.`;
  if (state.isGoalEnded(claim.goal_id)) return `Goal ${claim.goal_id} was ended.`;
  if (claim.bidding !== "open" || isEnded(claim.status))
    return `The bidding on claim ${id} is closed.`;
  if (!claim.electorate.includes(agent))
    return `Agent ${agent} is not among those who bid on claim ${id}.`;
  if (claim.bids.some((bid) => bid.agent === agent))
    return `Agent ${agent} has bid on claim ${id}.`;
  return undefined;
}

/** True for a goal that does not exist, or that `sett prune` is removing. */
function isGone(state: State, goal: GoalId): boolean {
  return state.pruned.retired.has(goal) || (state.goals.get(goal)?.artefacts.length ?? 0) === 0;
}

function isEndedCall(call: CallRecord | OpenCall): call is CallRecord {
  return "outcome" in call;
}
