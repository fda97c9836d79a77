// A proxy between a program and its Redis that can go away between a write and its reply, or lead
// to another Redis from some moment on.
import { connect, createServer, type Socket } from "node:net";

export type RedisProxy = AsyncDisposable & {
  readonly url: string;
  /**
   * Resolves when a reply to a request that holds `text` was withheld and every connection cut;
   * from then on it accepts no connection.
   */
  goAwayAfter(text: string): Promise<void>;
  comeBack(): void;
  /** Cuts every connection, unless `keeps`; later ones lead there. */
  moveTo(redisUrl: string, options?: { keeps: boolean }): void;
};

export async function startRedisProxy(redisUrl: string): Promise<RedisProxy> {
  let target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let isAway = false;
  let trap: { text: string; sprung: () => void } | undefined;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = () => {
    isAway = true;
    cutAll();
  };
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const redis = connect(Number(target.port), target.hostname);
    let isTrapped = false;
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on("data", (chunk) => {
      isTrapped ||= trap !== undefined && chunk.includes(trap.text);
      redis.write(chunk);
    });
    redis.on("data", (chunk) => {
      if (!isTrapped) return void client.write(chunk);
      cut();
      trap?.sprung();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = new URL(redisUrl);
  own.hostname = "127.0.0.1";
  own.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: own.href,
    goAwayAfter: (text) =>
      new Promise((sprung) => {
        trap = { text, sprung };
      }),
    comeBack: () => {
      trap = undefined;
      isAway = false;
    },
    moveTo: (moved, { keeps } = { keeps: false }) => {
      target = new URL(moved);
      if (!keeps) cutAll();
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
