// What receivers outside were told, in Redis.
import { Told } from "../../model/notify.ts";
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

    async readTold(subject, hook) {
      const told = await connection.run((client) => client.hGet(keys.told(subject), hook));
      return told === null ? undefined : toldOf(told);
    },

    async noteTold({ subject, hook, told, epoch }) {
      const args = [String(epoch), hook, JSON.stringify(told)];
      return certainOutcomeOf(await script("noteTold", [keys.orchestrator, keys.told(subject)], args), "noted", "fenced");
    },
  };
}

/** What somebody has broken by hand is forgotten: to tell twice is better than to tell nothing any more. */
function toldOf(text: string): Told | undefined {
  try {
    return Told.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
