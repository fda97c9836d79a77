// Removes goals that are over from the memory blackboard.
import { isEnded } from "../../model/claim.ts";
import type { ArtefactId, ClaimId, GoalId, LogicalId } from "../../model/ids.ts";
import { inOrder, type PruneBoard } from "../port/prune.ts";
import type { IsFenced } from "./leader.ts";
import type { State } from "./state.ts";

export function pruneOf(state: State, isFenced: IsFenced): PruneBoard {
  const artefactsOf = (goal: GoalId) => state.goals.get(goal)?.artefacts ?? [];
  const claimsOf = (id: ArtefactId) => [...(state.causes.get(id)?.values() ?? [])];
  return {
    async retireGoal({ goal, artefacts, claims }) {
      if (state.pruned.retired.has(goal)) return { outcome: "retired" };
      const ids = artefactsOf(goal);
      const all = ids.flatMap(claimsOf);
      const isOpen = (claim: ClaimId) =>
        !isEnded(state.claims.get(claim)?.claim.status ?? "pending_review");
      if (ids.length !== artefacts || all.length !== claims) return { outcome: "changed" };
      const calls = state.models.sumsOfGoal(goal).reserved.calls;
      if (all.some(isOpen) || calls > 0 || ids.some((id) => state.openQuestions.has(id)))
        return { outcome: "changed" };
      state.pruned.retired.add(goal);
      return { outcome: "retired" };
    },

    async reinstateGoal(goal) {
      state.pruned.retired.delete(goal);
    },

    isRetired: async (goal) => state.pruned.retired.has(goal),

    async removeOfGoal(goal, limit) {
      const ids = artefactsOf(goal);
      if (!state.pruned.retired.has(goal)) return { left: ids.length };
      for (const id of ids.splice(-limit)) remove(state, id, claimsOf(id));
      if (ids.length > 0) return { left: ids.length };
      state.goals.delete(goal);
      state.triggers.goals.delete(goal);
      state.pruned.retired.delete(goal);
      state.deliveries.delete(`goal-${goal}`);
      state.models.removeGoal(goal);
      const place = state.goalIds.indexOf(goal);
      if (place >= 0) state.goalIds.splice(place, 1);
      return { left: 0 };
    },

    removeEvents: async (ids) => removeEvents(state, ids),

    async removeOldEvents(ids, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      removeEvents(state, ids);
      return { outcome: "removed" };
    },

    async forgetRefused(epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.refused.clear();
      return { outcome: "forgotten" };
    },

    async recordArchive(archive, event, actor) {
      state.pruned.archives.set(archive.sha256, archive);
      state.log(event, actor);
    },

    listArchives: async () => inOrder([...state.pruned.archives.values()]),
  };
}

function removeEvents(state: State, ids: readonly string[]): number {
  const removed = new Set(ids);
  const kept = state.events.filter(({ id }) => !removed.has(id));
  const count = state.events.length - kept.length;
  state.events.splice(0, state.events.length, ...kept);
  state.pruned.removed += count;
  return count;
}

function remove(state: State, id: ArtefactId, claims: readonly ClaimId[]): void {
  for (const claim of claims) {
    for (const agent of state.claims.get(claim)?.grants.keys() ?? [])
      state.deliveries.delete(`approval-${claim}-${agent}`);
    state.claims.delete(claim);
    state.models.removeClaim(claim);
    state.openClaims.delete(claim);
  }
  const { logical_id } = state.artefacts.get(id) ?? {};
  const thread = state.threads.get(logical_id as LogicalId);
  for (const [version, one] of thread ?? []) if (one === id) thread?.delete(version);
  if (thread?.size === 0) state.threads.delete(logical_id as LogicalId);
  state.causes.delete(id);
  state.artefacts.delete(id);
  state.indexed.delete(id);
  state.withCommit.delete(id);
  state.refused.delete(id);
  state.answers.delete(id);
  state.openQuestions.delete(id);
  state.deliveries.delete(`question-${id}`);
}
