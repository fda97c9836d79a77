// The notary as a service, `orchestrator --notary`: it alone writes the proof volume, and has its
// key. Of Redis it reads the log, and writes one key.

import { Hono } from "hono";
import { systemClock } from "../../lib/async/clock.ts";
import { connectService } from "../../lib/blackboard/redis/connect.ts";
import { verifierKeyText } from "../../lib/proof/note.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import { openKey } from "./notary/export-proof.ts";
import { Notary } from "./notary/notary.ts";
import { SealedFiles } from "./notary/sealed-files.ts";
import type { NotarySettings } from "./settings.ts";

/** Until SIGTERM. `onLost`: Redis is given up. */
export async function runNotary(
  settings: NotarySettings,
  onLost: (error: unknown) => void,
): Promise<void> {
  const { instance, folder, pinned } = settings;
  const { log, signal, hasStarted } = beginService("notary", instance);
  await using board = await connectService(settings, { onLost });
  const files = new SealedFiles(folder);
  const { signer } = await openKey(files, instance, pinned);
  const about = { instance, version: packageJson.version };
  const notary = new Notary({ board, files, clock: systemClock, log, about });
  const app = new Hono().get("/healthz", ({ json }) => {
    const reason = notary.problem;
    return json({ service: "notary", ok: reason === undefined, reason }, reason ? 503 : 200);
  });
  const server = serve({ port: settings.healthPort, hostname: settings.healthHost }, app.fetch);
  log.info("Notary started", { version: packageJson.version, key: verifierKeyText(signer) });
  hasStarted();
  await notary.run(signal);
  await server.stop();
}
