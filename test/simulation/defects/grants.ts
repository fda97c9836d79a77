// Mistakes of grants: their start, their leases and their results.
import { State } from "../../../lib/blackboard/memory/state.ts";
import { type Grant, isEnded } from "../../../lib/model/claim.ts";
import { type Defect, meanwhile } from "../planting.ts";

/** Changes what every read of this grant finds meanwhile. */
function asIf<Result>(
  state: State,
  { claim, agent }: { claim: Parameters<State["claims"]["get"]>[0]; agent: Grant["agent"] },
  change: (grant: Grant) => Grant,
  work: () => Result,
): Result {
  const record = state.claims.get(claim);
  const grant = record?.grants.get(agent);
  if (record === undefined || grant === undefined) return work();
  const changed = change(grant);
  record.grants.set(agent, changed);
  const result = work();
  if (record.grants.get(agent) === changed) record.grants.set(agent, grant);
  return result;
}

export const grantDefects: readonly Defect[] = [
  {
    name: "a grant is accepted during a pause",
    needs: "pause instance",
    plant: (planting) =>
      planting.call("acceptGrant", (original, { state }, order) =>
        meanwhile(state, { pause: undefined }, () => original(order)),
      ),
  },
  {
    name: "a grant is accepted in another attempt",
    needs: "pause",
    isRare: true,
    plant: (planting) =>
      planting.call("acceptGrant", (original, { state }, order) => {
        const { attempt, queued_at } = order.grant;
        const queue = (grant: Grant): Grant =>
          ({ ...grant, attempt, queued_at, state: "queued" }) as Grant;
        return asIf(state, { claim: order.claim, agent: order.grant.agent }, queue, () =>
          original(order),
        );
      }),
  },
  {
    name: "an accepted grant has no lease",
    needs: "crash",
    isRare: true,
    plant: (planting) =>
      planting.call("acceptGrant", async (original, { state }, order) => {
        const result = await original(order);
        const { agent, attempt } = order.grant;
        state.clearDue({ kind: "lease", claim: order.claim, agent, attempt });
        return result;
      }),
  },
  {
    name: "the start of a grant is not logged",
    plant: (planting) =>
      planting.method(State.prototype, "log", (original, _state, draft, actor) => {
        if (draft.type !== "grant_started") original(draft, actor);
      }),
  },
  {
    name: "the lease of an attempt that is over is renewed",
    plant: (planting) =>
      planting.call("renewLease", async (original, { state }, order) => {
        await original(order);
        const { claim, agent, attempt, leaseMs } = order;
        state.setDue({ kind: "lease", claim, agent, attempt }, leaseMs);
        return { outcome: "renewed" as const };
      }),
  },
  {
    name: "a finished grant keeps its lease",
    plant: (planting) =>
      planting.call("finishGrant", async (original, { state }, order) => {
        const result = await original(order);
        const { agent, attempt } = order.grant;
        state.setDue({ kind: "lease", claim: order.claim, agent, attempt }, 60_000);
        return result;
      }),
  },
  {
    name: "the result of an attempt that is over is taken",
    isRare: true,
    plant: (planting) =>
      planting.call("finishGrant", (original, { state }, order) =>
        asIf(
          state,
          { claim: order.claim, agent: order.grant.agent },
          () => order.grant,
          () => original(order),
        ),
      ),
  },
  {
    name: "a result is taken after the end of its claim",
    isRare: true,
    plant: (planting) =>
      planting.call("finishGrant", (original, { state }, order) => {
        const claim = state.claims.get(order.claim)?.claim;
        if (claim === undefined || !isEnded(claim.status)) return original(order);
        const take = () => meanwhile(claim, { status: "pending_parallel" }, () => original(order));
        return asIf(
          state,
          { claim: order.claim, agent: order.grant.agent },
          () => order.grant,
          take,
        );
      }),
  },
  {
    name: "a result is taken after the end of its goal",
    needs: "cancel",
    isRare: true,
    plant: (planting) =>
      planting.call("finishGrant", (original, { state }, order) =>
        meanwhile(state, { isGoalEnded: () => false }, () => original(order)),
      ),
  },
  {
    name: "what a result decides is not fenced",
    isRare: true,
    plant: (planting) =>
      planting.call("finishGrant", (original, { state, nonce }, order) => {
        const { commit } = order;
        if (commit === undefined) return original(order);
        return meanwhile(state.leader, { epoch: commit.epoch, nonce }, () => original(order));
      }),
  },
  {
    name: "a result is stored, and its grant still runs",
    plant: (planting) =>
      planting.call("finishGrant", async (original, { state }, order) => {
        const record = state.claims.get(order.claim);
        const before = record?.grants.get(order.grant.agent);
        const result = await original(order);
        if (before !== undefined) record?.grants.set(order.grant.agent, before);
        return result;
      }),
  },
  {
    name: "a grant is done, and its result is nowhere",
    plant: (planting) =>
      planting.call("finishGrant", async (original, { state }, order) => {
        const result = await original(order);
        state.indexed.delete(order.result.artefact.id);
        return result;
      }),
  },
  {
    name: "a queued grant wakes no agent",
    plant: (planting) =>
      planting.method(State.prototype, "writeGrant", (original, state, record, grant) => {
        const before = new Map(state.wakeUps);
        original(record, grant);
        state.wakeUps.clear();
        for (const [agent, claims] of before) state.wakeUps.set(agent, claims);
      }),
  },
  {
    name: "the lease of a grant that has lapsed is never cleared",
    plant: (planting) =>
      planting.method(State.prototype, "clearDue", (original, _state, item) => {
        if (item.kind !== "lease") original(item);
      }),
  },
];
