// Very many connections to Redis, as a hostile command would open them.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { waitFor } from "../wait-for.ts";

export type ConnectionFlood = Disposable & {
  /** The connections that Redis has not ended. */
  readonly open: number;
};

const atOnce = 100;

/**
 * Resolves when Redis has answered each of them. They belong to the user that the URL names;
 * without one, to no user.
 */
export async function floodWithConnections(url: string, count: number): Promise<ConnectionFlood> {
  const { hostname, port, username, password } = new URL(url);
  const sockets = new Set<Socket>();
  const greeting = username === "" ? "PING\r\n" : `AUTH ${username} ${password}\r\n`;
  let answers = 0;
  const open = async () => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.once("data", () => {
      answers += 1;
    });
    await once(socket, "connect");
    socket.write(greeting);
  };
  for (let opened = 0; opened < count; opened += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - opened) }, open));
  }
  await waitFor("Redis to answer each connection", () => answers === count);
  return {
    get open() {
      return sockets.size;
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
