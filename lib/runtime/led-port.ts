// A port of this machine that leads to a part, as long as this program runs.
import { createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** `open`: a stream to what is behind the port, for each connection. Returns the port. */
export async function listenFor(open: () => Promise<Duplex>): Promise<number> {
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

function join(socket: Socket, inside: Duplex): void {
  socket.pipe(inside).pipe(socket);
  socket.on("close", () => inside.destroy());
  inside.on("error", () => socket.destroy());
  // What it has sent before its end is still on its way.
  inside.on("close", () => inside.readableEnded || socket.destroy());
}
