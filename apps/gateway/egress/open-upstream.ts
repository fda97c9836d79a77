// Connects to a host at the first of its addresses that answers.
import { connect, type Socket } from "node:net";

const connectMs = 10_000;

/** Rejects with the failure of the last address. */
export async function openUpstream(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    try {
      return await opened(host, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => socket.destroy(new Error("no answer within 10 s")), connectMs);
    socket.once("error", reject);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("close", () => {
      clearTimeout(timer);
      reject(new Error("the connection was closed"));
    });
  });
}
