// What receivers outside were told, on the memory blackboard.
import type { NoticeBoard } from "../notice-port.ts";
import type { IsFenced } from "./leader.ts";
import type { State } from "./state.ts";

export function noticesOf(state: State, isFenced: IsFenced): NoticeBoard {
  return {
    async readNoticeCursor() {
      return state.noticeCursor;
    },

    async moveNoticeCursor(epoch, cursor) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.noticeCursor = cursor;
      return { outcome: "moved" };
    },

    async readTold(subject, hook) {
      return state.told.get(subject)?.get(hook);
    },

    async noteTold({ subject, hook, told, epoch }) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.told.set(subject, (state.told.get(subject) ?? new Map()).set(hook, told));
      return { outcome: "noted" };
    },
  };
}
