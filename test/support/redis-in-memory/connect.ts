// The blackboard that ships, connected to a small Redis in memory.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Client, newClient } from "../../../lib/blackboard/redis/client.ts";
import { type ConnectOptions, connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { clientOver, type Transport } from "./client.ts";
import type { RedisInMemory } from "./server.ts";

/** Its requests reach the server at once. `clients`: those of all its connections. */
export function connectDirectly(
  redis: RedisInMemory,
  options: Omit<ConnectOptions, "url" | "makeClient">,
  clients = new Set<Client>(),
): Promise<Blackboard> {
  const makeClient = (() => {
    const client = clientOver(directTo(redis, () => clients.delete(client)));
    clients.add(client);
    return client;
  }) as typeof newClient;
  return connectBlackboard({ ...options, url: "redis://memory:6379", makeClient });
}

function directTo(redis: RedisInMemory, onEnd: () => void): Transport {
  const connection = redis.connect();
  const endings = new Set<() => void>();
  return {
    connect: async () => {},
    send: (words) =>
      new Promise((resolve, reject) => {
        let callOff = () => {};
        const abort = () => {
          callOff();
          reject(new Error("Disconnects client"));
        };
        const end = (settle: () => void) => {
          endings.delete(abort);
          settle();
        };
        endings.add(abort);
        callOff = redis.request(words, connection, {
          answer: (reply) => end(() => resolve(reply)),
          fail: (error) => end(() => reject(error)),
        });
      }),
    async subscribe(channel, receive) {
      const later = (text: string) => queueMicrotask(() => receive(text));
      endings.add(redis.subscribe(channel, later));
    },
    destroy() {
      onEnd();
      for (const end of [...endings]) end();
    },
  };
}
