// Replies of the API that clients may ask for again, on the memory blackboard.
import type { ReplyBoard } from "../port/replies.ts";
import type { State } from "./state.ts";

export function repliesOf(state: State): ReplyBoard {
  return {
    async keepReply(key, reply, ttlMs) {
      state.replies.set(key, { reply, untilMs: state.now() + ttlMs });
    },

    async readReply(key) {
      const kept = state.replies.get(key);
      return kept !== undefined && kept.untilMs > state.now() ? kept.reply : undefined;
    },
  };
}
