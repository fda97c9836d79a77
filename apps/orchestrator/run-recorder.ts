// The recorder as a service, `orchestrator --recorder`: it alone writes what commands have printed
// to the record's volume. It has no network, no password and no key.
import { join } from "node:path";
import { Hono } from "hono";
import { systemClock } from "../../lib/async/clock.ts";
import { openReach } from "../../lib/reach/open-reach.ts";
import { openSocket } from "../../lib/service/forward.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import { serveFew } from "../../lib/service/serve-few.ts";
import packageJson from "../../package.json" with { type: "json" };
import { OutputStore } from "./recorder/output-store.ts";
import { addOutputs, readOutputs } from "./recorder/recorder-app.ts";
import type { RecorderSettings } from "./settings.ts";

/** So many bodies of one agent may be under way: each is in memory as a whole. */
const atOnce = 4;
/** What is no text may be longer as gzip. */
const roomForGzip = 64 * 1024;

/** Its way where nothing keeps agents apart. */
const everyone = "processes";

/** Ends the process at SIGTERM, at once. */
export async function runRecorder(settings: RecorderSettings): Promise<void> {
  const { instance, socketsFolder, folder, maxBytes } = settings;
  const { log } = beginService("recorder", instance);
  const store = new OutputStore({ folder, maxBytes, clock: systemClock });
  await store.removeDrafts();
  const parts = { store, log };
  if (socketsFolder !== undefined) await openWays(settings, socketsFolder, parts);
  const app = new Hono().get("/healthz", ({ json }) => json({ service: "recorder", ok: true }));
  // Without sockets nothing keeps those who ask apart.
  if (socketsFolder === undefined) readOutputs(addOutputs(app, everyone, parts), parts);
  serve({ port: settings.healthPort, hostname: settings.healthHost, isPatient: true }, app.fetch);
  log.info("Recorder started", { version: packageJson.version });
}

/** The socket says who asks, also of those who come by TLS. */
async function openWays(
  { agents, reader, maxBytes, reach }: RecorderSettings,
  folder: string,
  parts: { store: OutputStore; log: JsonLog },
): Promise<void> {
  const few = { port: 0, hostname: "127.0.0.1", most: atOnce };
  const sockets = new Map<string, string>();
  const open = async (way: string, app: Hono) => {
    const server = await serveFew({ ...few, maxBodyBytes: maxBytes + roomForGzip }, app.fetch);
    const path = join(folder, way, "recorder.sock");
    await openSocket(path, server.port ?? 0);
    sockets.set(way, path);
  };
  for (const agent of agents) await open(agent, addOutputs(new Hono(), agent, parts));
  if (reader !== undefined) await open(reader, readOutputs(new Hono(), parts));
  await openReach({ reach, sockets, clock: systemClock, log: parts.log });
}
