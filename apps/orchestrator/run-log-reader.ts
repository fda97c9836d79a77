// The reader of logs as a service: `orchestrator --log-reader`, at a socket that only the API sees.
import { createReaderApp } from "../../lib/logs/reader-app.ts";
import { RuntimeLogs } from "../../lib/logs/runtime-logs.ts";
import { usualSocket } from "../../lib/runtime/docker/find-engine.ts";
import { openSocket } from "../../lib/service/forward.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { LogReaderSettings } from "./settings.ts";

/** Ends the process at SIGTERM, at once. */
export async function runLogReader({
  instance,
  socket,
  healthPort,
}: LogReaderSettings): Promise<void> {
  const { log } = beginService("log-reader", instance);
  const { dockerRuntime } = await import("../../lib/runtime/docker/runtime.ts");
  const app = createReaderApp(
    new RuntimeLogs((await dockerRuntime({ socketPath: usualSocket })).observe, instance),
  );
  app.get("/healthz", ({ json }) => json({ service: "log-reader", ok: true }));
  const server = serve({ port: healthPort, hostname: "127.0.0.1", isPatient: true }, app.fetch);
  await openSocket(socket, server.port ?? 0);
  log.info("Reader of logs started", { version: packageJson.version });
}
