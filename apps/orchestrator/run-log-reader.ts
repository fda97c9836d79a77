// The reader of logs as a service: `orchestrator --log-reader`, which only the API reaches.
import { systemClock } from "../../lib/async/clock.ts";
import { createReaderApp } from "../../lib/logs/reader-app.ts";
import { RuntimeLogs } from "../../lib/logs/runtime-logs.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { logReaderCaller } from "../../lib/model/proven-address.ts";
import { openReach } from "../../lib/reach/open-reach.ts";
import { usualSocket } from "../../lib/runtime/docker/find-engine.ts";
import { openSocket } from "../../lib/service/forward.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { LogReaderSettings } from "./settings.ts";

/** Ends the process at SIGTERM, at once. */
export async function runLogReader({
  instance,
  cluster,
  socket,
  reach,
  healthPort,
}: LogReaderSettings): Promise<void> {
  const { log } = beginService("log-reader", instance);
  const observe = cluster === undefined ? await ofEngine() : await ofCluster(instance, cluster);
  const app = createReaderApp(new RuntimeLogs(observe, instance));
  app.get("/healthz", ({ json }) => json({ service: "log-reader", ok: true }));
  const server = serve({ port: healthPort, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  await openSocket(socket, server.port ?? 0);
  const sockets = new Map([[logReaderCaller, socket]]);
  await openReach({ reach, sockets, clock: systemClock, log });
  log.info("Reader of logs started", { version: packageJson.version });
}

async function ofEngine() {
  const { dockerRuntime } = await import("../../lib/runtime/docker/runtime.ts");
  return (await dockerRuntime({ socketPath: usualSocket })).observe;
}

async function ofCluster(
  instance: InstanceName,
  { server, home, workers }: NonNullable<LogReaderSettings["cluster"]>,
) {
  const { ownCluster } = await import("../../lib/runtime/kubernetes/in-cluster.ts");
  const { KubeClient } = await import("../../lib/runtime/kubernetes/client.ts");
  const { partLogs } = await import("../../lib/runtime/kubernetes/part-logs.ts");
  return partLogs({ client: new KubeClient(await ownCluster(server)), instance, home, workers });
}
