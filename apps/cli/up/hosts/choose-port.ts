// Chooses ports of this machine for an instance without containers.
import { once } from "node:events";
import { createServer } from "node:net";
import { isServiceName, type ServiceName } from "../../../../lib/model/services.ts";
import type { PartPlan } from "../../../../lib/runtime/part-plan.ts";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import { listeningPort } from "../../../../lib/runtime/process/translate.ts";

/**
 * The ports at which the running services listen, which other parts of the instance know; else free
 * ports.
 */
export async function choosePorts(
  before: InstanceParts | undefined,
  plans: readonly PartPlan[],
): Promise<Partial<Record<ServiceName, number>>> {
  const ports: Partial<Record<ServiceName, number>> = {};
  const isTaken = (port: number) => Object.values(ports).includes(port);
  for (const plan of plans) {
    const { component } = plan.labels;
    const listening = listeningPort(plan);
    if (listening === undefined || !isServiceName(component)) continue;
    const part = before?.containers.find(({ labels }) => labels.component === component);
    let own = part?.ports.find(({ port }) => port === listening)?.hostPort ?? (await freePort());
    while (isTaken(own)) own = await freePort();
    ports[component] = own;
  }
  return ports;
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
