// The last delivery of each webhook, on the memory blackboard.
import type { NoticeBoard } from "../port/notices.ts";
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

    async readNoticeProblems() {
      return [...state.noticeProblems];
    },

    async noteNoticeProblems(epoch, problems) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.noticeProblems = [...problems];
      return { outcome: "moved" };
    },

    async readDelivery(subject, hook) {
      return state.deliveries.get(subject)?.get(hook);
    },

    async recordDelivery({ subject, hook, delivery, epoch }) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      state.deliveries.set(
        subject,
        (state.deliveries.get(subject) ?? new Map()).set(hook, delivery),
      );
      return { outcome: "recorded" };
    },
  };
}
