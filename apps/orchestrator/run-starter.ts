// The starter of workers as a service: `orchestrator --starter`, at a socket that only the
// orchestrator sees.
import { systemClock } from "../../lib/async/clock.ts";
import { usualSocket } from "../../lib/runtime/docker/find-engine.ts";
import { openSocket } from "../../lib/service/forward.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { serve } from "../../lib/service/serve.ts";
import { exitOn, stopSignal } from "../../lib/service/stop-signal.ts";
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
  healthPort,
}: StarterSettings): Promise<void> {
  const log = createJsonLog(console.log, systemClock.now).with({ service: "starter", instance });
  exitOn(stopSignal());
  const { dockerRuntime } = await import("../../lib/runtime/docker/runtime.ts");
  const { workers } = await dockerRuntime({ socketPath: usualSocket });
  const { layers } = workers;
  const shared =
    layers === undefined || layerImage === undefined
      ? {}
      : sharedBy({ runtime: { ...workers, layers }, image: layerImage, log });
  const app = createStarterApp(new RuntimeHost(workers, templates, shared));
  app.get("/healthz", ({ json }) => json({ service: "starter", ok: true }));
  const server = serve({ port: healthPort, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  await openSocket(socket, server.port ?? 0);
  log.info("Starter of workers started", {
    version: packageJson.version,
    agents: templates.map(({ agent }) => agent).join(", "),
  });
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
