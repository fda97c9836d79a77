// Ports of this machine that lead to a pod through the API server, as long as this program runs.
import { createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The same port each time. `open`: a stream to what is behind it, for each connection. */
export class LedPorts {
  readonly #known = new Map<string, Promise<number>>();
  readonly #open = new Set<Duplex>();

  async leadTo(key: string, open: () => Promise<Duplex>): Promise<number> {
    const counted = async () => {
      const stream = await open();
      this.#open.add(stream);
      stream.once("close", () => this.#open.delete(stream));
      return stream;
    };
    const found = this.#known.get(key) ?? listen(counted);
    this.#known.set(key, found);
    return await found;
  }

  /** A WebSocket that is open keeps its program from its end, whatever it is for. */
  closeAll(): void {
    for (const stream of this.#open) stream.destroy();
  }
}

async function listen(open: () => Promise<Duplex>): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.unref();
    open().then(
      (stream) => join(socket, stream),
      () => socket.destroy(),
    );
  });
  // Nothing of it keeps a command from its end: a connection may be kept for a next request.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function join(socket: Socket, stream: Duplex): void {
  stream.on("error", () => socket.destroy());
  socket.on("close", () => stream.destroy());
  socket.pipe(stream).pipe(socket);
}
