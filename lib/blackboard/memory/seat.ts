// The orchestrator's seat of the memory blackboard, and what is due.
import type { OrchestratorSeat } from "../seat-port.ts";
import type { State } from "./state.ts";

export function seatOf(state: State): OrchestratorSeat {
  return {
    async takeSeat({ holder, leaseMs, fresh }) {
      const now = state.now();
      const { seat } = state;
      if (seat.holder !== holder && seat.expiresAt > now) {
        return { outcome: "taken", holder: seat.holder, expiresInMs: seat.expiresAt - now };
      }
      seat.expiresAt = now + leaseMs;
      if (seat.holder !== holder || fresh) {
        seat.holder = holder;
        seat.epoch += 1;
        state.log({ type: "orchestrator_started", data: { holder, epoch: seat.epoch } }, `orchestrator:${seat.epoch}`);
      }
      return { outcome: "held", epoch: seat.epoch, cursor: seat.cursor };
    },

    async leaveSeat(epoch) {
      if (epoch === state.seat.epoch) Object.assign(state.seat, { holder: "", expiresAt: 0 });
    },

    async readSeat() {
      const { holder, epoch, expiresAt, cursor } = state.seat;
      return holder === "" ? undefined : { holder, epoch, expiresInMs: expiresAt - state.now(), cursor };
    },

    async moveCursor(epoch, cursor) {
      if (epoch !== state.seat.epoch) return { outcome: "fenced" };
      state.seat.cursor = cursor;
      return { outcome: "moved" };
    },

    async listDue(limit) {
      const now = state.now();
      const due = [...state.due.values()].filter((entry) => entry.at <= now).sort((one, other) => one.at - other.at);
      return due.slice(0, limit).map((entry) => entry.item);
    },

    async clearDue(items, epoch) {
      if (epoch !== state.seat.epoch) return { outcome: "fenced" };
      for (const item of items) state.clearDue(item);
      return { outcome: "cleared" };
    },
  };
}
