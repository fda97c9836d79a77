// Chooses ports of this machine for an instance without containers.
import { once } from "node:events";
import { createServer } from "node:net";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import { redisPort } from "../../instance/place.ts";
import { apiHealthPort } from "../services/api-spec.ts";
import { gatewayPort } from "../services/gateway-spec.ts";

const portOf = { redis: redisPort, gateway: gatewayPort, api: apiHealthPort } as const;
type Component = keyof typeof portOf;

/**
 * The ports of the running Redis, gateway and API, which other parts of the instance know; else
 * free ports. `api`: that of its health.
 */
export async function choosePorts(
  before: InstanceParts | undefined,
): Promise<Record<Component, number>> {
  const redis = presentPort(before, "redis") ?? (await freePort());
  let gateway = presentPort(before, "gateway") ?? (await freePort());
  while (gateway === redis) gateway = await freePort();
  let api = presentPort(before, "api") ?? (await freePort());
  while (api === redis || api === gateway) api = await freePort();
  return { redis, gateway, api };
}

function presentPort(before: InstanceParts | undefined, component: Component): number | undefined {
  const part = before?.containers.find(({ labels }) => labels.component === component);
  return part?.ports.find(({ port }) => port === portOf[component])?.hostPort;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The system gives no port.");
}
