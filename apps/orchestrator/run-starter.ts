// The starter of workers as a service: `orchestrator --starter`, at a socket that only the
// orchestrator sees.
import { systemClock } from "../../lib/async/clock.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { starterCaller } from "../../lib/model/proven-address.ts";
import { openReach } from "../../lib/reach/open-reach.ts";
import { usualSocket } from "../../lib/runtime/docker/find-engine.ts";
import type { Workers } from "../../lib/runtime/port.ts";
import { openSocket } from "../../lib/service/forward.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { StarterSettings } from "./settings.ts";
import { LayerVolumes } from "./workers/layer-volumes.ts";
import { LayeredWorkspaces } from "./workers/layered-workspaces.ts";
import type { LayersOptions } from "./workers/layers.ts";
import { PreparedLayers } from "./workers/prepared-layers.ts";
import { createStarterApp } from "./workers/starter-app.ts";
import { RuntimeHost } from "./workers/worker-host.ts";

/**
 * Ends the process at SIGTERM, at once: its workers go on, and what it was asked is asked again.
 */
export async function runStarter({
  instance,
  socket,
  templates,
  layerImage,
  cluster,
  reach,
  healthPort,
}: StarterSettings): Promise<void> {
  const { log } = beginService("starter", instance);
  const workers =
    cluster === undefined ? await engineWorkers() : await jobWorkers(instance, cluster);
  const { layers } = workers;
  const shared =
    layers === undefined || layerImage === undefined
      ? {}
      : sharedBy({ runtime: { ...workers, layers }, image: layerImage, log });
  const app = createStarterApp(new RuntimeHost(workers, templates, shared));
  app.get("/healthz", ({ json }) => json({ service: "starter", ok: true }));
  const server = serve({ port: healthPort, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  await openSocket(socket, server.port ?? 0);
  const sockets = new Map([[starterCaller, socket]]);
  await openReach({ reach, sockets, clock: systemClock, log });
  log.info("Starter of workers started", {
    version: packageJson.version,
    agents: templates.map(({ agent }) => agent).join(", "),
  });
}

async function engineWorkers(): Promise<Workers> {
  const { dockerRuntime } = await import("../../lib/runtime/docker/runtime.ts");
  return (await dockerRuntime({ socketPath: usualSocket })).workers;
}

async function jobWorkers(
  instance: InstanceName,
  { server, home, namespace }: NonNullable<StarterSettings["cluster"]>,
): Promise<Workers> {
  const { ownCluster } = await import("../../lib/runtime/kubernetes/in-cluster.ts");
  const { KubeClient } = await import("../../lib/runtime/kubernetes/client.ts");
  const { JobWorkers } = await import("../../lib/runtime/kubernetes/job-workers.ts");
  const client = new KubeClient(await ownCluster(server));
  return new JobWorkers({ client, instance, home, namespace });
}

function sharedBy(options: Omit<LayersOptions, "limits">): {
  layered: LayeredWorkspaces;
  prepared: PreparedLayers;
} {
  const volumes = new LayerVolumes(options);
  return {
    layered: new LayeredWorkspaces(options, volumes),
    prepared: new PreparedLayers({ ...options, volumes }),
  };
}
