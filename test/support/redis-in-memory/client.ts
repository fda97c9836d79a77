// A client of the small Redis: node-redis itself, with its words and its answers, and no socket.
import { Buffer } from "node:buffer";
import { createClient, ErrorReply, RESP_TYPES, type RedisClientOptions } from "redis";
import type { Client } from "../../../lib/blackboard/redis/client.ts";
import { bytesOf, textOf } from "./bytes.ts";
import { Refused, type Reply, Status } from "./reply.ts";

/** How requests reach a Redis, and how their answers come back. Texts are bytes. */
export type Transport = {
  connect(): Promise<void>;
  send(words: readonly string[]): Promise<Reply>;
  subscribe(channel: string, receive: (text: string) => void): Promise<void>;
  /** No answer is of use any more. */
  destroy(): void;
};

type Options = { typeMapping?: Record<number, unknown> } | undefined;
type Channel = (text: string) => void;

/**
 * What `createClient` gives is a view of one of these. It takes longer to find out that it has made
 * the class before.
 */
const NodeRedis = (
  createClient() as unknown as {
    _self: { constructor: new (options: RedisClientOptions) => Client };
  }
)._self.constructor;

export function clientOver(transport: Transport): Client {
  const client = new NodeRedis({ maintNotifications: "disabled" });
  client.on("error", () => {});
  let isOpen = false;
  const own = {
    async connect() {
      await transport.connect();
      isOpen = true;
      return client;
    },
    async sendCommand(words: readonly (string | Buffer)[], options: Options) {
      if (!isOpen) throw new Error("The client is closed");
      try {
        const reply = await transport.send(words.map(bytesOf));
        return asRead(words, reply, options?.typeMapping?.[RESP_TYPES.BLOB_STRING] === Buffer);
      } catch (error) {
        throw error instanceof Refused ? new ErrorReply(error.message) : error;
      }
    },
    async subscribe(channel: string, receive: Channel) {
      if (!isOpen) throw new Error("The client is closed");
      await transport.subscribe(bytesOf(channel), (text) => {
        if (isOpen) receive(textOf(text));
      });
    },
    destroy() {
      if (!isOpen) return;
      isOpen = false;
      transport.destroy();
      client.emit("end");
    },
  };
  Object.assign(client, own);
  Object.defineProperty(client, "isReady", { get: () => isOpen });
  return client;
}

/**
 * The third version of the protocol has more types than one: what the second has as a list of
 * pairs, or as a text.
 */
function asRead(words: readonly (string | Buffer)[], reply: Reply, asBytes: boolean): unknown {
  const read = asBytes ? (bytes: string) => Buffer.from(bytes, "latin1") : textOf;
  const value = readReply(reply, read);
  switch (String(words[0])) {
    case "HGETALL":
      return objectOf(value as string[]);
    case "ZSCORE":
      return value === null ? null : Number(value);
    case "ZMSCORE":
      return (value as (string | null)[]).map((score) => (score === null ? null : Number(score)));
    case "ZRANGE":
    case "ZRANGEBYSCORE":
      if (!words.includes("WITHSCORES")) return value;
      return pairsOf(value as string[]).map(([member, score]) => [member, Number(score)]);
    case "XREAD":
      return value === null ? null : new Map(value as [string, unknown][]);
    default:
      return value;
  }
}

function readReply(reply: Reply, read: (bytes: string) => unknown): unknown {
  if (typeof reply === "string") return read(reply);
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map((one: Reply) => readReply(one, read)) : reply;
}

function objectOf(words: readonly string[]): Record<string, string> {
  const object: Record<string, string> = Object.create(null);
  for (let place = 0; place < words.length; place += 2)
    object[words[place] as string] = words[place + 1] as string;
  return object;
}

function pairsOf<Word>(words: readonly Word[]): [Word, Word][] {
  const pairs: [Word, Word][] = [];
  for (let place = 0; place < words.length; place += 2)
    pairs.push([words[place] as Word, words[place + 1] as Word]);
  return pairs;
}
