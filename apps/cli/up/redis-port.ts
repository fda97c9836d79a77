// Chooses the port of Redis for an instance without containers.
import { once } from "node:events";
import { createServer } from "node:net";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { redisPort } from "../instance/place.ts";

/** The port of the running Redis, which all parts of the instance know; else a free port. */
export async function chooseRedisPort(before: InstanceParts | undefined): Promise<number> {
  const redis = before?.containers.find(({ labels }) => labels.component === "redis");
  return redis?.ports.find(({ port }) => port === redisPort)?.hostPort ?? (await freePort());
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The system gives no port.");
}
