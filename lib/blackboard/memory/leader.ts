// The orchestrator's leader lease of the memory blackboard, and what is due.
import { isLater } from "../../model/stream-id.ts";
import type { LeaderLease } from "../port/leader.ts";
import { owedEventOf } from "../port/owed-event.ts";
import { dueKinds, memberOfDue, storedKindOf } from "../records/due-member.ts";
import type { EnsureOn } from "./contact.ts";
import { postProblem } from "./post-problem.ts";
import type { DueEntry, State } from "./state.ts";

/**
 * True when another orchestrator than the one with this nonce has acquired the leader lease, or
 * holds it under another epoch.
 */
export type IsFenced = (epoch: number) => boolean;

export function fenceOf(state: State, nonce: string): IsFenced {
  return (epoch) => epoch !== state.leader.epoch || nonce !== state.leader.nonce;
}

export function leaderLeaseOf(
  state: State,
  nonce: string,
  isFenced: IsFenced,
  ensureOn: EnsureOn,
): LeaderLease {
  return {
    async acquireLeaderLease({ holder, leaseMs, restarted }) {
      const now = state.now();
      const { leader } = state;
      if (now < leader.seenAt) {
        moveDueBack(state, leader.seenAt, now);
        Object.assign(leader, { expiresAt: leader.expiresAt - (leader.seenAt - now), seenAt: now });
      }
      const isNamesake = leader.holder === holder;
      const isOwn = isNamesake && leader.nonce === nonce;
      if (!isOwn && !(isNamesake && restarted) && leader.expiresAt > now) {
        return { outcome: "taken", holder: leader.holder, expiresInMs: leader.expiresAt - now };
      }
      Object.assign(leader, { expiresAt: now + leaseMs, seenAt: now });
      if (!isOwn || restarted) {
        Object.assign(leader, { holder, nonce });
        leader.epoch += 1;
        state.log(
          { type: "orchestrator_started", data: { holder, epoch: leader.epoch } },
          `orchestrator:${leader.epoch}`,
        );
      }
      return { outcome: "held", epoch: leader.epoch, cursor: leader.cursor };
    },

    async releaseLeaderLease(epoch) {
      if (!isFenced(epoch)) Object.assign(state.leader, { holder: "", expiresAt: 0 });
    },

    async readLeader() {
      const { holder, epoch, expiresAt, cursor } = state.leader;
      return holder === ""
        ? undefined
        : { holder, epoch, expiresInMs: expiresAt - state.now(), cursor };
    },

    async moveCursor(epoch, cursor) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.leader.cursor = cursor;
      return { outcome: "moved" };
    },

    async listDue(limit, kinds = dueKinds) {
      const now = state.now();
      const due = [...state.due.values()].filter((entry) => entry.at <= now).sort(byTime);
      const found: DueEntry[] = [];
      let unreadable = kinds.includes("unreadable") ? limit : 0;
      for (const kind of kinds) {
        let left = limit;
        for (const entry of due.filter(({ item }) => storedKindOf(memberOfDue(item)) === kind)) {
          if (left === 0) break;
          if (entry.item.kind === kind) left -= 1;
          else if (unreadable > 0) unreadable -= 1;
          else continue;
          found.push(entry);
        }
      }
      return found.sort(byTime).map(({ item }) => item);
    },

    async clearDue(items, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      for (const item of items)
        if ((state.due.get(memberOfDue(item))?.at ?? 0) <= state.now()) state.clearDue(item);
      return { outcome: "cleared" };
    },

    async logAsLeader(draft, epoch, readOn) {
      ensureOn(readOn);
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.log(draft, `orchestrator:${epoch}`);
      return { outcome: "logged" };
    },

    async oweEvent(owed, draft, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const { id } = owed.event;
      if (!state.owed.has(id)) {
        state.owed.set(id, JSON.stringify(owed));
        state.log(draft, `orchestrator:${epoch}`);
      }
      return { outcome: "owed" };
    },

    async settleOwed(ids, epoch, readOn) {
      ensureOn(readOn);
      if (isFenced(epoch)) return { outcome: "fenced" };
      for (const id of ids) state.owed.delete(id);
      return { outcome: "settled" };
    },

    async listOwed(limit, after = "0") {
      const next = [...state.owed]
        .filter(([id]) => isLater(id, after))
        .sort(([one], [other]) => (isLater(one, other) ? 1 : -1))
        .slice(0, limit);
      return { count: state.owed.size, owed: next.map(([id, text]) => owedEventOf(id, text)) };
    },

    async postAsLeader(artefact, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const problem = postProblem(state, artefact);
      if (problem !== undefined) return problem;
      state.storeArtefact(artefact, `orchestrator:${epoch}`);
      return { outcome: "created" };
    },

    // Programs reach the twin without any.
    countConnections: async () => 0,
    endConnections: async () => ({ ended: [], most: 0 }),
    endSlowCallers: async () => ({ ended: [], last: -1 }),

    async deferDue(items, afterMs, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const at = state.now() + afterMs;
      for (const item of items) {
        const entry = state.due.get(memberOfDue(item));
        if (entry !== undefined) entry.at = Math.max(entry.at, at);
      }
      return { outcome: "deferred" };
    },
  };
}

/** Earliest first; those of one moment by member. */
function byTime(one: DueEntry, other: DueEntry): number {
  return one.at - other.at || (memberOfDue(one.item) < memberOfDue(other.item) ? -1 : 1);
}

/** As `move_due_back` in lua/acquire-leader-lease.lua. */
function moveDueBack(state: State, seenMs: number, nowMs: number): void {
  for (const entry of state.due.values()) {
    if (entry.at > seenMs) entry.at -= seenMs - nowMs;
    else if (entry.at > nowMs) entry.at = Math.min(entry.at, nowMs + 30_000);
  }
}
