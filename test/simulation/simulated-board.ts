// The blackboard as a simulated program has it: the one that ships, over simulated connections.
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import type { newClient } from "../../lib/blackboard/redis/client.ts";
import { type ConnectOptions, connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { SimulatedClient } from "./simulated-client.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";

/** A mistake of the protocol is planted here. */
export const simulated = { boardOf: (board: Blackboard): Blackboard => board };

/** As connectBlackboard: rejects with `redis-unreachable`. */
export async function connectSimulated(
  redis: SimulatedRedis,
  options: Pick<ConnectOptions, "giveUpMs" | "isNeeded" | "onLost">,
): Promise<Blackboard> {
  const makeClient = ((_url: string, connectMs: number, silenceMs: number) =>
    new SimulatedClient(redis, redis.scheduler.life, { connectMs, silenceMs })
      .client) as typeof newClient;
  const { instance } = redis;
  return simulated.boardOf(
    await connectBlackboard({ ...options, url: "redis://simulated:6379", instance, makeClient }),
  );
}
