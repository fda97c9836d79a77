// Chooses ports of this machine for an instance without containers.
import { randomInt } from "node:crypto";
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

/**
 * Linux takes the ports of connections from 32768 on, and might take a chosen one before its
 * service listens: these are below.
 */
const [firstPort, portCount] = [20_000, 12_768];
const maxTries = 50;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = await tryPort(firstPort + randomInt(portCount));
    if (port !== undefined) return port;
  }
  const port = await tryPort(0);
  if (port !== undefined) return port;
  throw new Error("The system gives no port.");
}

/** 0: any. Undefined where another program has it. */
async function tryPort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  const listening = once(server, "listening").then(
    () => true,
    () => false,
  );
  server.listen(wanted, "127.0.0.1");
  if (!(await listening)) return undefined;
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : undefined;
}
