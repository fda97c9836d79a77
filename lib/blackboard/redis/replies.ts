// Replies of the API that clients may ask for again, in Redis.
import type { ReplyBoard } from "../port/replies.ts";
import type { Deps } from "./deps.ts";

export function repliesOf({ connection, keys }: Deps): ReplyBoard {
  return {
    async keepReply(key, reply, ttlMs) {
      await connection.run((client) =>
        client.set(keys.reply(key), reply, { expiration: { type: "PX", value: ttlMs } }),
      );
    },

    async readReply(key) {
      return (await connection.run((client) => client.get(keys.reply(key)))) ?? undefined;
    },
  };
}
