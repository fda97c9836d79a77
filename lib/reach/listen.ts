// The service's end: it learns who calls before anything of the command's comes, and then passes
// the connection on to where that caller alone is served.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Clock } from "../async/clock.ts";
import { messageOf } from "../model/errors.ts";
import { passOn } from "../service/forward.ts";
import type { JsonLog } from "../service/json-log.ts";
import { LineBudget } from "../service/line-budget.ts";
import { portUnusable } from "../service/serve.ts";
import { type Bounds, Newcomers } from "./newcomers.ts";
import { OwnCertificate } from "./own-certificate.ts";
import { readProof } from "./proof.ts";

export type Listening = {
  port: number;
  hostname: string;
  /** In hexadecimal digits. */
  serviceKey: string;
  /** The ways of those who may call. */
  ways: readonly string[];
  /** Begins a connection to where this way is served. */
  dial: (way: string) => Socket;
  clock: Clock;
  log: JsonLog;
  /** For connections that have not proven yet who calls. */
  bounds?: Bounds;
};

/** `renew`: it does so by itself as well. */
export type Listener = Disposable & { port: number; renew: () => void };

/** A cub opens one for each connection of its command, and proves it in milliseconds. */
const usual: Bounds = { most: 64, patienceMs: 10_000 };
const renewalMs = 3_600_000;
const secure = { minVersion: "TLSv1.3", allowHalfOpen: true } as const;

/** Throws `port-unusable`. */
export async function listenProven(options: Listening): Promise<Listener> {
  const { port, hostname, serviceKey, clock, log, bounds = usual } = options;
  const certificate = new OwnCertificate(serviceKey, clock);
  const newcomers = new Newcomers(bounds);
  const lines = new LineBudget(clock);
  const refused = new WeakSet<Socket>();
  const refuse = (socket: Socket, reason: string) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const omitted = lines.take();
    const from = socket.remoteAddress;
    if (omitted !== undefined) log.warn("Refused a caller", { from, reason, omitted });
    socket.destroy();
  };
  const handshake = { handshakeTimeout: 2 * bounds.patienceMs };
  const server = createServer({ ...certificate.current, ...secure, ...handshake });
  server.on("connection", (socket: Socket) => {
    const { remoteAddress, remotePort } = socket;
    const onLate = () => refuse(socket, "it did not prove in time who calls");
    if (!newcomers.admit(socket, onLate)) return refuse(socket, "it has too many open already");
    socket.once("close", () => newcomers.leave({ remoteAddress, remotePort }));
  });
  server.on("tlsClientError", (error, socket) => refuse(socket, messageOf(error)));
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    untilProven(socket, options, (reason) => refuse(socket, reason)).then((proven) => {
      if (proven === undefined) return;
      newcomers.leave(socket);
      const service = options.dial(proven.way);
      if (proven.rest.length > 0) service.write(proven.rest);
      passOn(socket, { socket: service });
    }, socket.destroy.bind(socket));
  });
  server.listen(port, hostname);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw portUnusable({ port, name: "port for agents" }, cause);
  }
  const renew = () => {
    const next = certificate.renewed();
    if (next !== undefined) server.setSecureContext({ ...next, ...secure });
  };
  const timer = setInterval(renew, renewalMs).unref();
  return {
    port: (server.address() as AddressInfo).port,
    renew,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      server.close();
    },
  };
}

type Proven = { way: string; rest: Buffer };

/** Undefined where it has proven nothing; then it is refused, or has gone. */
async function untilProven(
  socket: TLSSocket,
  { serviceKey, ways }: Pick<Listening, "serviceKey" | "ways">,
  refuse: (reason: string) => void,
): Promise<Proven | undefined> {
  const known = { serviceKey, ways: new Set(ways) };
  const { promise, resolve } = Promise.withResolvers<Proven | undefined>();
  const onEnd = () => refuse("it has ended before it proved who calls");
  let bytes = Buffer.alloc(0);
  const onData = (part: Buffer) => {
    bytes = Buffer.concat([bytes, part]);
    const read = readProof(socket, bytes, known);
    if (read.kind === "partial") return;
    socket.off("data", onData).off("end", onEnd);
    socket.pause();
    if (read.kind === "refused") refuse(read.reason);
    resolve(read.kind === "proven" ? read : undefined);
  };
  socket.on("data", onData).once("end", onEnd);
  socket.once("close", () => resolve(undefined));
  return await promise;
}
