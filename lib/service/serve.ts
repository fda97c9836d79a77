// Serves a service's port in Bun, for which the programs are compiled, or in Deno.
import process from "node:process";
import { SettError } from "../model/errors.ts";

/**
 * `port` 0: any that is free. `isPatient`: an answer may be silent for any time; else a silence of
 * `idleSeconds` (ten) ends it in Bun. `maxBodyBytes`: of a request; Bun refuses more than 128 MiB
 * without it. `tls`: the certificate and its key, in PEM. `name`: of the port, for a message;
 * `hint` says how to choose another one.
 */
export type Address = {
  port: number;
  hostname: string;
  isPatient?: boolean;
  idleSeconds?: number;
  maxBodyBytes?: number;
  tls?: { cert: string; key: string } | undefined;
  name?: string;
  hint?: string;
};
export type Fetch = (request: Request) => Response | Promise<Response>;
/**
 * `stop` accepts no more requests, and answers those that have arrived; what is still open after
 * `graceMs` (two seconds), such as a stream or a request of which a part is missing, is cut.
 * `unref`: it does not keep the process alive.
 */
export type Server = {
  port: number | undefined;
  stop(graceMs?: number): Promise<void>;
  unref(): void;
};

/** Well below the time after which a supervisor kills the program. */
const stopGraceMs = 2_000;

/** The part of Deno's API that is used here; the project's own types are Bun's. */
type Deno = {
  serve(
    options: {
      port: number;
      hostname: string;
      onListen: () => void;
      signal: AbortSignal;
      cert?: string;
      key?: string;
    },
    fetch: Fetch,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void>; unref(): void };
};

/** Throws `port-unusable` when another program uses the port, or this user may not use it. */
export function serve(address: Address, fetch: Fetch): Server {
  try {
    return "deno" in process.versions ? serveInDeno(address, fetch) : serveInBun(address, fetch);
  } catch (cause) {
    throw portUnusable(address, cause);
  }
}

/** Another error as it is. */
export function portUnusable(
  { port, name = "health port", hint = ofHealthPort }: Pick<Address, "port" | "name" | "hint">,
  cause: unknown,
): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code !== "EADDRINUSE" && code !== "EACCES") return cause;
  const problem =
    code === "EADDRINUSE" ? "is used by another program" : "may not be used by this user";
  return new SettError("port-unusable", `The ${name} ${port} ${problem}.`, { hint, cause });
}

const ofHealthPort =
  "Set SETT_HEALTH_PORT (`health_port` in sett.yml) to a free port, or to 0 for any.";

function serveInBun(
  { port, hostname, isPatient = false, idleSeconds = 10, maxBodyBytes, tls }: Address,
  fetch: Fetch,
): Server {
  // `development` would print an error with which a stream ends, into a log that is JSON. Without
  // `development` two programs of a user may otherwise have the same port, and each gets some of
  // the connections.
  const options = {
    port,
    hostname,
    development: false,
    reusePort: false,
    idleTimeout: isPatient ? 0 : idleSeconds,
    ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }),
    fetch,
  };
  const server = Bun.serve(tls === undefined ? options : { ...options, tls });
  return {
    port: server.port,
    stop: (graceMs) => stopWithin(graceMs, server.stop(), () => server.stop(true)),
    unref: () => server.unref(),
  };
}

function serveInDeno({ port, hostname, tls }: Address, fetch: Fetch): Server {
  const { Deno } = globalThis as unknown as { Deno: Deno };
  const cut = new AbortController();
  // Deno would print the address as text, into a log that is JSON.
  const server = Deno.serve(
    { port, hostname, onListen: () => {}, signal: cut.signal, ...tls },
    fetch,
  );
  return {
    port: server.addr.port,
    stop: (graceMs) => stopWithin(graceMs, server.shutdown(), async () => cut.abort()),
    unref: () => server.unref(),
  };
}

async function stopWithin(
  graceMs = stopGraceMs,
  stopped: Promise<void>,
  cut: () => Promise<void>,
): Promise<void> {
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(() => patience.resolve(cut()), graceMs);
  await Promise.race([stopped, patience.promise]);
  clearTimeout(timer);
}
