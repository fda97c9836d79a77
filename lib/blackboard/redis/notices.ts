// The last delivery of each webhook, in Redis.
import { Delivery } from "../../model/notify.ts";
import type { NoticeBoard } from "../notice-port.ts";
import type { Deps } from "./deps.ts";
import { certainOutcomeOf } from "./replies.ts";

const cursorField = "notice_cursor";

export function noticesOf({ connection, keys, script }: Deps): NoticeBoard {
  return {
    async readNoticeCursor() {
      return (await connection.run((client) => client.hGet(keys.orchestrator, cursorField))) ?? undefined;
    },

    async moveNoticeCursor(epoch, cursor = "") {
      const reply = await script("moveCursor", [keys.orchestrator], [String(epoch), cursorField, cursor]);
      return certainOutcomeOf(reply, "moved", "fenced");
    },

    async readDelivery(subject, hook) {
      const delivery = await connection.run((client) => client.hGet(keys.delivery(subject), hook));
      return delivery === null ? undefined : deliveryOf(delivery);
    },

    async recordDelivery({ subject, hook, delivery, epoch }) {
      const args = [String(epoch), hook, JSON.stringify(delivery)];
      return certainOutcomeOf(
        await script("recordDelivery", [keys.orchestrator, keys.delivery(subject)], args),
        "noted",
        "fenced",
      );
    },
  };
}

/** What somebody has broken by hand is forgotten: to tell twice is better than to tell nothing any more. */
function deliveryOf(text: string): Delivery | undefined {
  try {
    return Delivery.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
