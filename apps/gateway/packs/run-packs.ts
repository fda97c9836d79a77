// The service of packs as a program: a socket for each agent, for the API and for looks at grants,
// a port for the commands of a person, and the health endpoints.
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Registry } from "prom-client";
import { systemClock } from "../../../lib/async/clock.ts";
import { PackService } from "../../../lib/git/packs/pack-service.ts";
import { type Caller, packsServer } from "../../../lib/git/packs/serve-packs.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { openReach } from "../../../lib/reach/open-reach.ts";
import { listenAt } from "../../../lib/service/forward.ts";
import { beginService } from "../../../lib/service/program.ts";
import { serve } from "../../../lib/service/serve.ts";
import { createServiceApp } from "../../../lib/service/service-app.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { PacksSettings } from "./settings.ts";

/** Resolves when it has been stopped. */
export async function runPacks(settings: PacksSettings): Promise<void> {
  const { instance, folder, agents, shelves, token, socketsFolder, port, host, reach } = settings;
  const { log, signal, hasStarted } = beginService("packs", instance);
  const service = await PackService.open(folder, { shelves });
  const serverFor = (callerOf: (request: IncomingMessage) => Caller | undefined) =>
    packsServer({
      ...{ service, callerOf },
      onError: (error) => log.error("Could not answer", { reason: messageOf(error) }),
    });
  await using open = new AsyncDisposableStack();
  const socketOf = (way: string) => join(socketsFolder, way, "packs.sock");
  // Who asks is known by where it asks: no other container sees the socket.
  const ways = [
    ...agents.map((name) => ({ way: name as string, caller: { role: "agent", name } as const })),
    { way: "api", caller: { role: "host" } as const },
    { way: "user", caller: { role: "reader" } as const },
  ];
  for (const { way, caller } of ways) {
    const server = serverFor(() => caller);
    open.use(await listenAt(socketOf(way), server));
    open.defer(() => server.closeAllConnections());
  }
  const sockets = new Map(ways.map(({ way }) => [way, socketOf(way)]));
  open.use((await openReach({ reach, sockets, clock: systemClock, log })) ?? null);
  const byToken = serverFor((request) => (hasToken(request, token) ? { role: "host" } : undefined));
  byToken.listen(port, host);
  await once(byToken, "listening");
  open.defer(() => void byToken.close());
  open.defer(() => byToken.closeAllConnections());
  const app = createServiceApp({
    service: "packs",
    health: () => ({ ok: true }),
    metrics: new Registry(),
    state: () => ({ packs: service.packs().length, has_store: service.list !== undefined }),
  });
  const server = serve({ port: settings.healthPort, hostname: settings.healthHost }, app.fetch);
  const names = agents.join(", ");
  log.info("Service of packs started", { version: packageJson.version, agents: names });
  hasStarted();
  await new Promise((stopped) => signal.addEventListener("abort", stopped, { once: true }));
  await server.stop();
  log.info("Service of packs stopped", { signal: signal.reason });
}

/** In a time that says nothing about the token. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(headers.authorization ?? ""), digestOf(`Bearer ${token}`));
}
