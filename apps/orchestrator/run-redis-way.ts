// The way to a Redis of others as a service: `orchestrator --redis-way`. The parts of an instance
// reach it as they would reach a Redis of their own, and it alone reaches outside. It knows no
// password: what it passes on is between each part and Redis.
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { messageOf } from "../../lib/model/errors.ts";
import { forwardTo, listenAt } from "../../lib/service/forward.ts";
import { beginService } from "../../lib/service/program.ts";
import { serve } from "../../lib/service/serve.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { RedisWaySettings } from "./settings.ts";

/** A firewall between forgets a connection that is silent for longer. */
const keepAliveMs = 30_000;
/** Shorter than the check of a container waits. */
const lookMs = 1_500;

/** Ends the process at SIGTERM, at once: the programs connect again. */
export async function runRedisWay(settings: RedisWaySettings): Promise<void> {
  const { instance, at, port, host, socket, healthPort, healthHost } = settings;
  const { log } = beginService("redis", instance);
  let problem: string | undefined;
  const note = (reason: string | undefined) => {
    if (reason === problem) return;
    problem = reason;
    if (reason === undefined) log.info("Redis is reached again", { at });
    else log.warn("Redis cannot be reached", { at, reason });
  };
  const dial = () => {
    const connection = dialRedis(settings);
    connection.once("error", (error) => note(messageOf(error)));
    connection.once(readyEvent(settings), () => note(undefined));
    return connection;
  };
  const way = () => forwardTo(() => ({ socket: dial() }));
  const server = way().listen(port, host);
  await once(server, "listening");
  // Agents have a number of connections of their own, so that they leave the services theirs.
  if (socket !== undefined) await listenAt(socket, way());
  const isReached = async () => {
    const connection = dial();
    const ready = once(connection, readyEvent(settings), { signal: AbortSignal.timeout(lookMs) });
    await ready.then(
      () => note(undefined),
      (error: unknown) => note(isTimeout(error) ? "It does not answer." : messageOf(error)),
    );
    connection.destroy();
    return problem === undefined;
  };
  serve({ port: healthPort, hostname: healthHost }, async (request) => {
    if (new URL(request.url).pathname !== "/healthz") return new Response(null, { status: 404 });
    const ok = await isReached();
    const reason = ok ? undefined : `Redis cannot be reached at ${at}: ${problem}`;
    return Response.json({ service: "redis", ok, reason }, { status: ok ? 200 : 503 });
  });
  log.info("Way to Redis opened", { version: packageJson.version, at });
}

type Target = Pick<RedisWaySettings, "at" | "ca">;

/** The name is looked up for each connection: after a failover it may be another machine's. */
function dialRedis({ at, ca }: Target): Socket {
  const { protocol, hostname, port } = new URL(at);
  const target = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 6379) };
  const connection =
    protocol === "rediss:"
      ? connectTls({
          ...target,
          // An address is no name that a certificate's choice could depend on.
          ...(isIP(target.host) === 0 && { servername: target.host }),
          ...(ca !== undefined && { ca }),
        })
      : connect(target);
  return connection.setNoDelay(true).setKeepAlive(true, keepAliveMs);
}

function readyEvent({ at }: Target): "connect" | "secureConnect" {
  return at.startsWith("rediss:") ? "secureConnect" : "connect";
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
