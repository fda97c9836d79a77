// The orchestrator's seat of the memory blackboard, and what is due.
import { dueKinds, memberOfDue } from "../due-member.ts";
import type { OrchestratorSeat } from "../seat-port.ts";
import type { State } from "./state.ts";

/** True when another orchestrator than the one with this nonce has taken the seat, or holds it under another epoch. */
export type IsFenced = (epoch: number) => boolean;

export function fenceOf(state: State, nonce: string): IsFenced {
  return (epoch) => epoch !== state.seat.epoch || nonce !== state.seat.nonce;
}

export function seatOf(state: State, nonce: string, isFenced: IsFenced): OrchestratorSeat {
  return {
    async takeSeat({ holder, leaseMs, fresh }) {
      const now = state.now();
      const { seat } = state;
      if (now < seat.seenAt) {
        turnBack(state, seat.seenAt, now);
        Object.assign(seat, { expiresAt: seat.expiresAt - (seat.seenAt - now), seenAt: now });
      }
      const isNamesake = seat.holder === holder;
      const isOwn = isNamesake && seat.nonce === nonce;
      if (!isOwn && !(isNamesake && fresh) && seat.expiresAt > now) {
        return { outcome: "taken", holder: seat.holder, expiresInMs: seat.expiresAt - now };
      }
      Object.assign(seat, { expiresAt: now + leaseMs, seenAt: now });
      if (!isOwn || fresh) {
        Object.assign(seat, { holder, nonce });
        seat.epoch += 1;
        state.log({ type: "orchestrator_started", data: { holder, epoch: seat.epoch } }, `orchestrator:${seat.epoch}`);
      }
      return { outcome: "held", epoch: seat.epoch, cursor: seat.cursor };
    },

    async leaveSeat(epoch) {
      if (!isFenced(epoch)) Object.assign(state.seat, { holder: "", expiresAt: 0 });
    },

    async readSeat() {
      const { holder, epoch, expiresAt, cursor } = state.seat;
      return holder === "" ? undefined : { holder, epoch, expiresInMs: expiresAt - state.now(), cursor };
    },

    async moveCursor(epoch, cursor) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.seat.cursor = cursor;
      return { outcome: "moved" };
    },

    async listDue(limit, kinds = dueKinds) {
      const now = state.now();
      const due = [...state.due.values()].filter((entry) => entry.at <= now).sort((one, other) => one.at - other.at);
      const left = new Map<string, number>(kinds.map((kind) => [kind, limit]));
      return due.flatMap(({ item }) => {
        const more = left.get(item.kind) ?? 0;
        left.set(item.kind, more - 1);
        return more > 0 ? [item] : [];
      });
    },

    async clearDue(items, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      for (const item of items) state.clearDue(item);
      return { outcome: "cleared" };
    },

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

/** As `turn_back` in lua/prelude.lua. */
function turnBack(state: State, seenMs: number, nowMs: number): void {
  for (const entry of state.due.values()) {
    if (entry.at > seenMs) entry.at -= seenMs - nowMs;
    else if (entry.at > nowMs) entry.at = Math.min(entry.at, nowMs + 30_000);
  }
}
