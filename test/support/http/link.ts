// A link between a program and a port of this machine that can be slow, lose packets and be cut.
// What the kernel does then (it sends again after a while, and in order) is played.
import { connect, createServer, type Socket } from "node:net";

export type Link = AsyncDisposable & Breakable & { readonly port: number };

export type Breakable = {
  /**
   * From now on bytes take so long in each direction. `lossShare`: of the pieces that are lost and
   * come `resentMs` later, with all behind them.
   */
  slow(weather: { delayMs: number; lossShare: number }): void;
  /** Carries nothing, and ends no connection, until the returned function is called. */
  silence(): () => void;
  /** Ends all connections, and takes none until the returned function is called. */
  cut(): () => void;
};

/** The least that Linux waits before it sends again. */
const resentMs = 200;

/** `random`: at least 0, less than 1. `host`: the address of this machine at which it begins. */
export async function startLink(
  port: number,
  random: () => number,
  host = "127.0.0.1",
): Promise<Link> {
  const sockets = new Set<Socket>();
  let weather = { delayMs: 0, lossShare: 0 };
  let [isCut, isSilent] = [false, false];
  const carry = (from: Socket, to: Socket) => {
    /** Nothing comes before what was sent before it. */
    let freeAtMs = 0;
    let waiting = 0;
    const after = (job: () => void) => {
      const lostMs = random() < weather.lossShare ? resentMs : 0;
      freeAtMs = Math.max(freeAtMs, performance.now() + weather.delayMs + lostMs);
      const leftMs = freeAtMs - performance.now();
      if (leftMs <= 0 && waiting === 0) return job();
      waiting += 1;
      setTimeout(
        () => {
          waiting -= 1;
          job();
        },
        Math.max(leftMs, 0),
      );
    };
    from.on("data", (bytes) => after(() => to.write(bytes)));
    from.on("end", () => after(() => to.end()));
    from.on("close", () => after(() => to.destroy()));
    from.on("error", () => undefined);
    sockets.add(from);
    if (isSilent) from.pause();
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isCut) return void client.destroy();
    const service = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    carry(client, service);
    carry(service, client);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    slow: (now) => {
      weather = now;
    },
    silence: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
      return () => {
        isSilent = false;
        for (const socket of sockets) socket.resume();
      };
    },
    cut: () => {
      isCut = true;
      end();
      return () => {
        isCut = false;
      };
    },
    async [Symbol.asyncDispose]() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
