// The egress proxy as a service: a socket for each agent, and the health endpoints.
import { chmod, mkdir, rm } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../../lib/async/clock.ts";
import { ownNetworkOf } from "../../../lib/model/egress-address.ts";
import { openReach } from "../../../lib/reach/open-reach.ts";
import { addressesOf } from "../../../lib/service/addresses-of.ts";
import { beginService } from "../../../lib/service/program.ts";
import { serve } from "../../../lib/service/serve.ts";
import { createServiceApp } from "../../../lib/service/service-app.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { EgressProxy } from "./egress-proxy.ts";
import { createEgressMetrics } from "./metrics.ts";
import type { EgressSettings } from "./settings.ts";

const everyone = 0o777;
export const idleMs = 10 * 60_000;
/** The name that this machine has in containers of Sett's services. */
const machineName = "host.docker.internal";

/** Resolves when it has been stopped. */
export async function runEgress(settings: EgressSettings): Promise<void> {
  const { instance, agents, socketsFolder, healthPort, healthHost } = settings;
  const { log, signal, hasStarted } = beginService("egress", instance);
  const metrics = createEgressMetrics();

  const own = () =>
    Object.values(networkInterfaces()).flatMap(
      (each) => each?.flatMap(({ cidr }) => cidr ?? []) ?? [],
    );
  // The bridge of the Engine may have any address, and is not always among those that `sett up`
  // sees.
  const machine = [
    ...settings.machine,
    ...(await addressesOf(machineName).catch(() => [])).flatMap((each) => ownNetworkOf(each) ?? []),
  ];
  const sockets = new Map(
    [...agents.keys()].map((agent) => [agent, join(socketsFolder, agent, "egress.sock")]),
  );
  const proxies = await Promise.all(
    [...agents].map(async ([agent, targets]) => {
      const proxy = new EgressProxy(agent, targets, {
        resolve: addressesOf,
        own,
        machine,
        log,
        metrics,
        clock: systemClock,
        idleMs,
      });
      const socket = sockets.get(agent) ?? "";
      await mkdir(dirname(socket), { recursive: true });
      // An earlier run may have left it.
      await rm(socket, { force: true });
      await proxy.listen(socket);
      // Agents are other users.
      await chmod(socket, everyone);
      return proxy;
    }),
  );
  using _reach = await openReach({ reach: settings.reach, sockets, clock: systemClock, log });
  const app = createServiceApp({
    service: "egress",
    health: () => ({ ok: true }),
    metrics: metrics.registry,
    state: () => ({ agents: Object.fromEntries(agents) }),
  });
  const server = serve({ port: healthPort, hostname: healthHost }, app.fetch);
  log.info("Egress proxy started", {
    version: packageJson.version,
    agents: [...agents.keys()].join(", "),
  });
  hasStarted();
  await new Promise((stopped) => signal.addEventListener("abort", stopped, { once: true }));
  for (const proxy of proxies) proxy.close();
  await server.stop();
  log.info("Egress proxy stopped", { signal: signal.reason });
}
