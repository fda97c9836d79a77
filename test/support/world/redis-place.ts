// An instance of its own on a real Redis.
import { randomUUID } from "node:crypto";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { patient, type RedisServer } from "../redis/redis-server.ts";
import type { Place } from "./place.ts";

export function placeInRedis({
  url,
}: Pick<RedisServer, "url">): Place & { instance: InstanceName } {
  const instance = InstanceName.parse(`t-${randomUUID().slice(0, 8)}`);
  return { instance, open: () => connectBlackboard({ url, instance, ...patient }) };
}
