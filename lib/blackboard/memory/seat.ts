// The orchestrator's seat of the memory blackboard, and what is due.
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
      const isNamesake = seat.holder === holder;
      const isOwn = isNamesake && seat.nonce === nonce;
      if (!isOwn && !(isNamesake && fresh) && seat.expiresAt > now) {
        return { outcome: "taken", holder: seat.holder, expiresInMs: seat.expiresAt - now };
      }
      seat.expiresAt = now + leaseMs;
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

    async listDue(limit) {
      const now = state.now();
      const due = [...state.due.values()].filter((entry) => entry.at <= now).sort((one, other) => one.at - other.at);
      return due.slice(0, limit).map((entry) => entry.item);
    },

    async clearDue(items, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      for (const item of items) state.clearDue(item);
      return { outcome: "cleared" };
    },
  };
}
