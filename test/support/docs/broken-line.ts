// A line to a port of this machine that breaks connections, as a program does that starts again.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** `breaks`: how many connections are reset once they have sent something. */
export type BrokenLine = AsyncDisposable & { url: string; breaks: number; connections: number };

export async function openBrokenLine(port: number): Promise<BrokenLine> {
  const server = createServer((socket) => {
    line.connections += 1;
    socket.on("error", () => undefined);
    if (line.breaks > 0) {
      line.breaks -= 1;
      socket.once("data", () => socket.resetAndDestroy());
      return;
    }
    const onward = connect(port, "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const line = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breaks: 0,
    connections: 0,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
  return line;
}
