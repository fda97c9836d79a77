// The last delivery of each webhook, in Redis.
import { parseJson } from "../../model/json.ts";
import { Delivery } from "../../model/notify.ts";
import type { NoticeBoard } from "../port/notices.ts";
import { noticeProblemsField, noticeProblemsOf } from "../records/notice-problems.ts";
import type { Deps } from "./deps.ts";

const cursorField = "notice_cursor";

export function noticesOf({ connection, keys, call }: Deps): NoticeBoard {
  return {
    async readNoticeCursor() {
      return (
        (await connection.run((client) => client.hGet(keys.orchestrator, cursorField))) ?? undefined
      );
    },

    moveNoticeCursor: (epoch, cursor = "") =>
      call(
        "moveCursor",
        { orchestrator: keys.orchestrator },
        { epoch, field: cursorField, cursor },
      ),

    async readNoticeProblems() {
      return noticeProblemsOf(
        await connection.run((client) => client.hGet(keys.orchestrator, noticeProblemsField)),
      );
    },

    noteNoticeProblems: (epoch, problems) =>
      call(
        "moveCursor",
        { orchestrator: keys.orchestrator },
        {
          epoch,
          field: noticeProblemsField,
          cursor: problems.length === 0 ? "" : JSON.stringify(problems),
        },
      ),

    async readDelivery(subject, hook) {
      const delivery = await connection.run((client) => client.hGet(keys.delivery(subject), hook));
      return delivery === null ? undefined : deliveryOf(delivery);
    },

    recordDelivery({ subject, hook, delivery, epoch }) {
      const stored = { orchestrator: keys.orchestrator, delivery: keys.delivery(subject) };
      return call("recordDelivery", stored, { epoch, hook, delivery: JSON.stringify(delivery) });
    },
  };
}

/** A damaged record is ignored: to notify twice is better than never to notify again. */
function deliveryOf(text: string): Delivery | undefined {
  return Delivery.safeParse(parseJson(text)).data;
}
