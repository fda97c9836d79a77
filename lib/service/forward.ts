// Passes connections on between sockets of a file system, which containers without a network share,
// and ports of the loopback.
import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";

/**
 * So many may be open at the same time: a command must not use up the files that the program itself
 * may open.
 */
const maxConnections = 512;
const everyone = 0o777;
const socketProtocol = "unix:";

/**
 * A URL such as `http://127.0.0.1:40123` for `unix:/path/of/a.sock`; any other URL as it is. It
 * does not keep the process alive.
 */
export async function reachable(url: string): Promise<string> {
  const { protocol, pathname } = new URL(url);
  if (protocol !== socketProtocol) return url;
  const path = decodeURIComponent(pathname);
  return await onLoopback(forwardTo(() => ({ socket: connect({ path, allowHalfOpen: true }) })));
}

/** The URL of a server that does not keep the process alive. */
export async function onLoopback(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/**
 * A socket at which every user who sees it reaches this port of the loopback. Anything else that
 * has its name is replaced.
 */
export async function openSocket(path: string, port: number): Promise<Disposable> {
  const target = { port, host: "127.0.0.1", allowHalfOpen: true };
  return await listenAt(
    path,
    forwardTo(() => ({ socket: connect(target) })),
  );
}

/** The same for a server that does something else with connections. */
export async function listenAt(path: string, server: Server): Promise<Disposable> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  server.listen(path);
  await once(server, "listening");
  await chmod(path, everyone);
  return { [Symbol.dispose]: () => void server.close() };
}

/** `isReady`: when bytes may go to it. Undefined: at once. */
export type Dialled = { socket: Socket; isReady?: Promise<unknown> };

/** Not listening yet. `dial` begins a connection to where those that come are passed on to. */
export function forwardTo(dial: () => Dialled): Server {
  let open = 0;
  // Each side may end before the other: a request may be complete while its answer goes on.
  return createServer({ allowHalfOpen: true }, (client) => {
    if (open === maxConnections) return void client.destroy();
    open += 1;
    client.once("close", () => {
      open -= 1;
    });
    const service = dial();
    // Idle connections must not keep a process alive that has ended its work.
    client.unref();
    service.socket.unref();
    passOn(client, service);
  });
}

/** Until both have ended, or one has closed. */
export function passOn(client: Socket, { socket: service, isReady }: Dialled): void {
  for (const [from, to] of [
    [client, service],
    [service, client],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
  service.pipe(client);
  if (isReady === undefined) client.pipe(service);
  else void isReady.then(() => client.pipe(service));
}
